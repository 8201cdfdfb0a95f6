"""The file of tokens: what is kept, what is shown once, and what happens to a file that is wrong."""

from __future__ import annotations

import hashlib
import json
import stat
import tomllib
from typing import TYPE_CHECKING

import pytest

from lukasa.cli import main
from lukasa.errors import DuplicateError, NotFoundError, UsageError
from lukasa.mcp.tokens import Grant, Tokens, add_token, remove_token

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings" / "tokens.toml"


def test_a_token_is_found_again_and_only_its_hash_is_kept(path: Path) -> None:
    grant, token = add_token(path, name="laptop", agent="ana", shares=["project/apollo"])
    assert Tokens(path).find(token) == grant
    assert (grant.agent, grant.shares) == ("ana", ("project/apollo",))
    assert token not in path.read_text()
    assert grant.sha256 == hashlib.sha256(token.encode()).hexdigest()
    assert [block["sha256"] for block in tomllib.loads(path.read_text())["token"]] == [grant.sha256]


def test_no_two_tokens_are_alike_and_each_is_long(path: Path) -> None:
    tokens = {add_token(path, name=None, agent="ana", shares=[])[1] for _ in range(20)}
    assert len(tokens) == 20
    assert min(map(len, tokens)) >= 43
    assert [grant.name for grant in Tokens(path).grants()][:3] == ["ana", "ana-2", "ana-3"]


@pytest.mark.parametrize("wrong", ["", "lk_", "x" * 10_000, "é", "\x00"])
def test_what_is_no_token_opens_nothing(path: Path, wrong: str) -> None:
    grant, token = add_token(path, name=None, agent="ana", shares=[])
    tokens = Tokens(path)
    assert tokens.find(wrong) is None
    assert tokens.find(token[:-1]) is None
    assert tokens.find(grant.sha256) is None, "the hash is no token"


def test_the_file_and_its_folder_are_private(path: Path) -> None:
    first, _ = add_token(path, name="one", agent="ana", shares=[])
    add_token(path, name="two", agent="ana", shares=[])
    remove_token(path, first.name)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [one.name for one in path.parent.iterdir()] == ["tokens.toml"]


def test_a_token_is_taken_back_and_the_rest_stays_as_it_is(path: Path) -> None:
    add_token(path, name="one", agent="ana", shares=[])
    second, token = add_token(path, name="two", agent="bob", shares=["global/shared"])
    path.write_text(path.read_text().replace('name = "two"', 'name = "two"  # the laptop'))
    assert remove_token(path, "one").agent == "ana"
    assert Tokens(path).grants() == (second,)
    assert Tokens(path).find(token) == second
    assert "# the laptop" in path.read_text()
    with pytest.raises(NotFoundError, match="'two'"):
        remove_token(path, "one")


def test_a_change_of_the_file_is_seen(path: Path) -> None:
    add_token(path, name="one", agent="ana", shares=[])
    tokens = Tokens(path)
    assert len(tokens.grants()) == 1
    _, token = add_token(path, name="two", agent="bob", shares=[])
    assert tokens.find(token) is not None
    path.unlink()
    with pytest.raises(UsageError, match="lukasa token add"):
        tokens.find(token)


HASH = "0" * 64
WRONG = (
    "[[token]\n",
    "token = 3\n",
    "[[token]]\n",
    'other = 1\n[[token]]\nname = "a"\n',
    f'[[token]]\nname = "a"\nsha256 = "{HASH[1:]}"\nagent = "ana"\n',
    f'[[token]]\nname = "a"\nsha256 = "{HASH[1:]}g"\nagent = "ana"\n',
    f'[[token]]\nname = "a"\nsha256 = "{HASH}"\n',
    f'[[token]]\nname = "a"\nsha256 = "{HASH}"\nagent = "ana"\nshares = "project/apollo"\n',
    f'[[token]]\nname = "a"\nsha256 = "{HASH}"\nagent = "ana"\nshares = [1]\n',
    f'[[token]]\nname = "a"\nsha256 = "{HASH}"\nagent = "ana"\nadmin = true\n',
)


@pytest.mark.parametrize("text", WRONG)
def test_a_file_that_cannot_be_understood_opens_nothing_and_stays_as_it_is(path: Path, text: str) -> None:
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(UsageError, match="cannot be understood"):
        Tokens(path).grants()
    with pytest.raises(UsageError, match="cannot be understood"):
        add_token(path, name=None, agent="ana", shares=[])
    assert path.read_text() == text


def test_a_file_with_shares_left_out_is_understood(path: Path) -> None:
    path.parent.mkdir()
    path.write_text(f'[[token]]\nname = "a"\nsha256 = "{HASH}"\nagent = "ana"\n')
    assert Tokens(path).grants() == (Grant(name="a", sha256=HASH, agent="ana"),)


@pytest.mark.parametrize(
    ("name", "agent", "shares"),
    [("a b", "ana", []), ("", "ana", []), (None, "a b", []), (None, "ana", ["everything"])],
)
def test_what_a_token_cannot_be_for_is_refused_and_nothing_is_written(
    path: Path, name: str | None, agent: str, shares: list[str]
) -> None:
    with pytest.raises(UsageError):
        add_token(path, name=name, agent=agent, shares=shares)
    assert not path.exists()


def test_a_name_is_given_once(path: Path) -> None:
    add_token(path, name="laptop", agent="ana", shares=[])
    with pytest.raises(DuplicateError, match="laptop"):
        add_token(path, name="laptop", agent="bob", shares=[])
    assert len(Tokens(path).grants()) == 1


def test_the_command_makes_lists_and_takes_back(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--tokens", str(path)]
    assert main(["token", "add", "--agent", "ana", "--share", "project/apollo", *where]) == 0
    made = capsys.readouterr()
    assert Tokens(path).find(made.out.strip()) is not None, "a script takes standard output as it is"
    assert "not shown again" in made.err
    assert f"lukasa mcp --http --tokens {path}" in made.err
    assert main(["token", "add", "laptop", "--agent", "bob", "--json", *where]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["name"], document["agent"], document["shares"]) == ("laptop", "bob", [])
    assert Tokens(path).find(document["token"]) is not None
    assert main(["token", "list", *where]) == 0
    listed = capsys.readouterr().out
    assert [line.split("\t")[:3] for line in listed.splitlines()] == [
        ["ana", "ana", "project/apollo"],
        ["laptop", "bob", "-"],
    ]
    assert document["token"] not in listed
    assert main(["token", "remove", "laptop", *where]) == 0
    assert "opens nothing any more" in capsys.readouterr().out
    assert [grant.name for grant in Tokens(path).grants()] == ["ana"]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["remove"], 2, "token list"),
        (["remove", "nobody"], 1, "There is no token 'nobody'"),
        (["make"], 2, "invalid choice"),
    ],
)
def test_a_wrong_use_of_the_command_says_what_to_do(
    path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, says: str
) -> None:
    add_token(path, name="one", agent="ana", shares=[])
    assert main(["token", *arguments, "--tokens", str(path)]) == code
    assert says in capsys.readouterr().err


def test_without_any_token_the_list_says_how_to_make_one(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["token", "list", "--tokens", str(path)]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert "lukasa token add" in said.err


def test_no_other_token_is_taken_back_with_one(tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    row = '{{name = "{0}", sha256 = "{1}", agent = "{0}"}}'
    written = f"token = [{row.format('ana', 'a' * 64)}, {row.format('ben', 'b' * 64)}]\n"
    path.write_text(written)
    with pytest.raises(UsageError, match="was not touched"):
        remove_token(path, "ana")
    assert path.read_text() == written
