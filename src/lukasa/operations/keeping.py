"""Running the store, as operations: for its operator, and never for an agent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lukasa.entries.formats import Format
from lukasa.errors import UsageError
from lukasa.operations.answers import (
    AGENTS,
    EXPORTED,
    INTAKEN,
    MODELS,
    RECEIPT,
    REMADE,
    STATS,
    VERDICT,
    Exported,
    Models,
    Remade,
)
from lukasa.operations.registry import operation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lukasa.entries.checking import Verdict
    from lukasa.entries.counting import Stats
    from lukasa.entries.forgetting import Receipt
    from lukasa.entries.records import Intaken
    from lukasa.memory import AgentSummary, Store


@operation(AGENTS)
def agents(store: Store) -> Sequence[AgentSummary]:
    """List the agents that have something here.

    How many entries and spaces each has, since when, and when it was last written to.
    """
    return store.agents()


@operation(STATS)
def store_stats(store: Store) -> Stats:
    """Show how much there is in the whole store.

    Live entries are answers now: neither expired nor superseded.
    """
    return store.stats()


@operation(VERDICT)
def check(store: Store) -> Verdict:
    """Verify everything in the store, and change nothing.

    Each problem is one line.
    """
    return store.check()


@operation(EXPORTED)
def export(store: Store, file: str, *, format: Format = "jsonl", agent: str | None = None) -> Exported:  # noqa: A002 - the word for it
    """Write the store, or one agent's own, to a file.

    JSON lines keep everything: ids, names, links, history.

    file: Where to, and what is there is replaced; a folder for markdown.
    format: jsonl keeps everything; json is a plain array; markdown is one file an entry.
    agent: Only what is this agent's own.
    """
    check_apart(store, file)
    return Exported(store.export(file, form=format, agent=agent), file, format)


def check_apart(store: Store, file: str) -> None:
    """Refuses to write over the store itself."""
    if "://" not in store.location and Path(file).resolve() == Path(store.location).resolve():
        raise UsageError(f"{file} is the store itself.", fix="Export to another file.")


@operation(INTAKEN, writes=True, idempotent=True)
def import_(store: Store, file: str, *, agent: str | None = None, dry_run: bool = False) -> Intaken:
    """Take an export in, all of it or nothing.

    What is there already is left alone, so the same import twice changes nothing.

    file: An export in any of its formats.
    agent: Make all of it this agent's own; left out, it goes where it was recorded.
    dry_run: Only say what would come in.
    """
    return store.import_(file, agent=agent, dry_run=dry_run)


@operation(REMADE, writes=True, idempotent=True)
def reindex(store: Store, *, model: str | None = None, language: str | None = None) -> Remade:
    """Make the index anew, or with another model or language.

    Without either, what is not as it should be is put right. With a model, that model makes all vectors;
    recall answers meanwhile by the old one. What was stopped goes on where it was.

    model: Another model of meaning, by its setting, as models shows it.
    language: The language of the words, such as german.
    """
    done = store.reindex(model=model, language=language)
    return Remade(done, store.embed_pending())


@operation(MODELS)
def models(store: Store) -> Models:
    """Show the model of this store, and those that there are.

    What is installed here, what is always here, and what can be fetched.
    """
    from lukasa.embed.models import ALWAYS, installed  # noqa: PLC0415 - only this needs it
    from lukasa.embed.pulling import KNOWN  # noqa: PLC0415 - brings numpy with it

    return Models(store.index_state(), tuple(installed()), tuple(ALWAYS), tuple(KNOWN))


@operation(RECEIPT, writes=True, destructive=True)
def forget_agent(store: Store, agent: str, *, dry_run: bool = False) -> Receipt:
    """Erase everything that is an agent's own, with a receipt.

    Its memory and its channels. What it wrote into shared spaces belongs to those.

    agent: Whose memory is to be erased.
    dry_run: Only say what would go.
    """
    return store.forget_agent(agent, dry_run=dry_run)
