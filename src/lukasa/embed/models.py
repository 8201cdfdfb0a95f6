"""Models on this machine: where they lie, how one is found, and what is known of each.

A model is a folder with its files, under a name in the user's data folder, or anywhere by its path. An
installed one has a `lukasa.json` beside its files, which says where it came from and the SHA-256 of each.
Always true: a name or path is never looked for on a network; `pull` alone fetches, and only when asked to.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from lukasa.config import models_folder
from lukasa.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator

Provider = Literal["onnx", "model2vec"]
RECORD = "lukasa.json"
ALWAYS = {
    "bundled": "comes with the package: numpy alone, a tenth of a millisecond a text",
    "hashed": "knows no meaning, only words: for tests",
    "none": "no vectors: words alone",
}
_FILES: dict[Provider, tuple[str, ...]] = {
    "onnx": ("model.onnx", "onnx/model.onnx"),
    "model2vec": ("model.safetensors",),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A model's folder, and the file of its weights."""

    name: str
    folder: Path
    file: Path


@dataclass(frozen=True, kw_only=True, slots=True)
class Installed:
    """An installed model, as its record tells it."""

    name: str
    provider: Provider
    source: str
    sha256: str
    bytes: int

    @property
    def setting(self) -> str:
        """What to write to use it."""
        return f"{self.provider}:{self.name}"


def find_model(provider: Provider, model: str) -> Found:
    """The model of a path, or of the name under which it is installed."""
    for folder in (models_folder() / model, Path(model).expanduser()):
        found = _in_folder(provider, folder)
        if found:
            return found
    raise NotFoundError(
        wanted=f"{provider} model {model!r} on this machine, as a folder or installed by `lukasa model pull`",
        near=[one.name for one in installed() if one.provider == provider],
    )


def _in_folder(provider: Provider, place: Path) -> Found | None:
    if place.is_file():
        near = [
            folder for folder in (place.parent, place.parent.parent) if (folder / "tokenizer.json").is_file()
        ]
        return Found(name=_name_of(near[0]), folder=near[0], file=place) if near else None
    files = [place / file for file in _FILES[provider] if (place / file).is_file()]
    if not files or not (place / "tokenizer.json").is_file():
        return None
    return Found(name=_name_of(place), folder=place, file=files[0])


def _name_of(folder: Path) -> str:
    return folder.resolve().name


def installed() -> Iterator[Installed]:
    """Every installed model, by name."""
    folder = models_folder()
    for record in sorted(folder.glob(f"[!.]*/{RECORD}")) if folder.is_dir() else ():
        known = cast("dict[str, object]", json.loads(record.read_text(encoding="utf-8")))
        provider = cast("Provider", known["provider"])
        found = _in_folder(provider, record.parent)
        if found:
            files = cast("dict[str, str]", known["files"])
            yield Installed(
                name=record.parent.name,
                provider=provider,
                source=str(known["source"]),
                sha256=files[found.file.relative_to(found.folder).as_posix()],
                bytes=sum(file.stat().st_size for file in record.parent.rglob("*") if file.is_file()),
            )
