"""`reindex` and `model pull | list | use`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from lukasa.embed.bundled import BundledEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

STRAY = """INSERT INTO chunks
SELECT space, 77, 'nobody', owner_kind, 0, start, stop, length, terms, counts, speaker, asks, version
FROM chunks LIMIT 1"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A data folder without models, and no setting in the environment."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LUKASA_EMBEDDING", raising=False)
    monkeypatch.delenv("LUKASA_LANGUAGE", raising=False)


@pytest.fixture
def potion(tmp_path: Path) -> Path:
    """A small static model in a folder."""
    import numpy as np  # noqa: PLC0415 - see below
    from model2vec import StaticModel  # noqa: PLC0415 - only one test needs it

    folder = tmp_path / "potion-tiny"
    tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "cat": 1, "sea": 2}, unk_token="[UNK]"))  # noqa: S106 - a token of words
    StaticModel(np.eye(3, 4, dtype=np.float32), tokenizer).save_pretrained(folder)
    return folder


def test_a_store_is_moved_to_another_model(cli: Cli) -> None:
    cli.ok("remember", "The sea is near.")
    cli.ok("remember", "The hills are far.")
    said = cli.ok("reindex", "--model", "hashed:32")
    assert said.lines == [
        "Looked at 2 entries: 0 indexed anew, 2 vectors made.",
        "  model hashed:32@1 · language english",
        "  2 vectors of other models removed",
    ]
    assert said.err == ""
    assert cli.json("model", "list")["store"] == {
        "model": "hashed:32@1",
        "dimensions": 32,
        "coming": None,
        "language": "english",
        "pieces": 2,
        "without_vector": 0,
        "pending": 0,
        "dead": 0,
    }
    assert cli.json("reindex") == {
        "entries": 2,
        "mended": 0,
        "vectors": 0,
        "removed": 0,
        "model": "hashed:32@1",
        "language": "english",
        "pending": 0,
    }


def test_the_environment_names_the_model_and_the_language(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUKASA_EMBEDDING", "hashed:16")
    monkeypatch.setenv("LUKASA_LANGUAGE", "german")
    cli.ok("remember", "Die Katzen schlafen.")
    cli.ok("recall", "Katze", "--mode", "keyword")
    monkeypatch.delenv("LUKASA_LANGUAGE")
    store = cli.json("model", "list")["store"]
    assert isinstance(store, dict)
    assert (store["model"], store["language"]) == ("hashed:16@1", "german")
    monkeypatch.setenv("LUKASA_EMBEDDING", "hashed:32")
    refused = cli("recall", "Katze")
    assert refused.code == 2
    assert "by hashed:16@1; the settings name hashed:32@1" in refused.err
    assert refused.err.rstrip().endswith("lukasa reindex --model hashed:32")
    moved = cli.ok("reindex", "--model", "bundled")
    assert "LUKASA_EMBEDDING still says hashed:32: unset it, or say bundled." in moved.err
    assert cli.ok("reindex", "--model", "hashed:32").err == ""


def test_what_check_finds_wrong_with_the_index_is_put_right(cli: Cli) -> None:
    cli.ok("remember", "The sea is near. " * 60, "--tag", "water")
    cli.ok("remember", "The hills are far.", "--agent", "bob")
    connection = apsw.Connection(str(cli.store))
    for damage in (
        "UPDATE chunks SET length = 1 WHERE ordinal = 0",
        "DELETE FROM chunks WHERE ordinal = 1",
        "UPDATE vectors SET vector = x'00'",
        "UPDATE spaces SET chunks = 9",
        "UPDATE chunks SET version = 99 WHERE space = 'agent/bob'",
        STRAY,
        "INSERT INTO outbox VALUES ('agent/bob', 'embed', 'nobody', 0, 0, NULL, 0)",
    ):
        connection.execute(damage)
    connection.close()
    assert cli("check").code == 1
    done = cli.json("reindex")
    assert done["mended"] == 2
    assert cli.ok("check").code == 0
    assert cli.json("recall", "sea")["hits"]
    assert cli.json("reindex")["mended"] == 0


def test_a_model_is_pulled_listed_and_used(cli: Cli, potion: Path) -> None:
    cli.ok("remember", "The sea is near.")
    got = cli.ok("model", "pull", str(potion))
    assert got.lines[0].startswith("Installed model2vec:potion-tiny (")
    assert got.lines[-1].endswith("lukasa model use potion-tiny")
    installed = cli.json("model", "list")["installed"]
    assert isinstance(installed, list)
    assert [one["setting"] for one in installed if isinstance(one, dict)] == ["model2vec:potion-tiny"]
    used = cli.json("model", "use", "potion-tiny")
    assert (str(used["model"]).partition("@")[0], used["vectors"]) == ("model2vec:potion-tiny", 1)
    assert cli.ok("recall", "sea").code == 0
    assert cli("model", "pull", str(potion)).code == 1


def test_the_list_says_what_is_here_and_what_can_be_had(cli: Cli) -> None:
    lines = cli.ok("model", "list").lines
    assert lines[:3] == ["model: none yet", "language: english", "pieces: 0"]
    assert "onnx:all-MiniLM-L6-v2\tto be had\tlukasa model pull all-MiniLM-L6-v2" in lines
    assert {line.split("\t")[0] for line in lines[3:6]} == {"bundled", "hashed", "none"}
    assert not cli.exists(), "looking makes no store"


def test_a_model_can_be_chosen_before_the_first_entry(cli: Cli) -> None:
    assert cli.json("reindex")["model"] is None
    assert not cli.exists()
    assert cli.json("model", "use", "hashed:32")["model"] == "hashed:32@1"
    cli.ok("remember", "The sea is near.")
    store = cli.json("model", "list")["store"]
    assert isinstance(store, dict)
    assert (store["model"], store["without_vector"]) == ("hashed:32@1", 0)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["model", "pull"], "Which model to pull?"),
        (["model", "use"], "Which model to use?"),
        (["model", "drop", "x"], "invalid choice"),
        (["model", "use", "mystery"], "An embedding model was wanted"),
        (["model", "pull", "mystery"], "There is no model 'mystery'"),
        (["reindex", "--model", "hashed:0"], "A number of dimensions"),
        (["reindex", "--language", "klingon"], "klingon"),
    ],
)
def test_a_wrong_call_changes_nothing(cli: Cli, wrong: list[str], says: str) -> None:
    cli.ok("remember", "The sea is near.")
    refused = cli(*wrong)
    assert (refused.code, says in refused.err) == (2, True)
    store = cli.json("model", "list")["store"]
    assert isinstance(store, dict)
    assert store["model"] == BundledEmbedder().identity


def test_a_model_that_is_not_here_is_not_found(cli: Cli) -> None:
    missing = cli("model", "use", "onnx:mystery")
    assert missing.code == 1
    assert "There is no onnx model 'mystery' on this machine" in missing.err
