"""How results are shown: as JSON documents for programs, in words for a model; one place for all surfaces.

A `Form` is both ways of one type of result. In words, whatever was remembered stands in quotes, on one line,
under a sentence that says it is data. Documents keep everything; times in them are RFC 3339.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from lukasa.clock import to_rfc3339
from lukasa.entries.reading import with_state
from lukasa.recall.framing import NOTICE, head, literal, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lukasa.db.database import Json
    from lukasa.embed.models import Installed
    from lukasa.entries.checking import Verdict
    from lukasa.entries.counting import Stats
    from lukasa.entries.entry import Entry
    from lukasa.entries.forgetting import Receipt
    from lukasa.entries.links import Link
    from lukasa.entries.pending import Embedded, IndexState
    from lukasa.entries.reading import Change, Page
    from lukasa.entries.records import Intaken
    from lukasa.entries.reindexing import Reindexed
    from lukasa.memory import AgentSummary
    from lukasa.recall.answer import Answer, Hit, Signal
    from lukasa.recall.context import Context
    from lukasa.recall.why import Why

T = TypeVar("T")
_WHOLE = 100_000


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """A type of result in both ways."""

    document: Callable[[T], Json]
    text: Callable[[T], str]


@dataclass(frozen=True, slots=True)
class History:
    """An entry and every change of it, oldest first."""

    entry: Entry
    changes: tuple[Change, ...]

    def before(self) -> list[Entry | None]:
        """What the entry was before each change; None before its beginning."""
        return [
            None if change.before is None else with_state(self.entry, change.before)
            for change in self.changes
        ]


@dataclass(frozen=True, slots=True)
class Links:
    """An entry and the links from and to it."""

    entry: Entry
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Unlinked:
    """A link that is no more."""

    from_id: str
    relation: str
    to_id: str


@dataclass(frozen=True, slots=True)
class Exported:
    """How many entries went to which file, and how."""

    exported: int
    file: str
    format: str


@dataclass(frozen=True, slots=True)
class Remade:
    """What a reindex did, and what a remote model still owes."""

    done: Reindexed
    owed: Embedded


@dataclass(frozen=True, slots=True)
class Models:
    """What the store is indexed with, and the models that there are."""

    state: IndexState
    installed: tuple[Installed, ...]
    always: tuple[str, ...]
    known: tuple[str, ...]


def _lines(found: str, lines: Iterable[str]) -> str:
    return "\n".join([f"{found} {NOTICE}", *lines])


def entry_document(entry: Entry) -> Json:
    """An entry as a document: every column, its names and its tags."""
    return cast("Json", entry.plain())


def _entry_text(entry: Entry) -> str:
    facts = [head(entry), f"in {entry.space}"]
    facts += [f"tags {', '.join(map(quoted, entry.tags))}"] if entry.tags else []
    facts += [f"also {', '.join(map(quoted, entry.aliases))}"] if entry.aliases else []
    facts += [entry.status] if entry.status != "open" else []
    facts += ["history: superseded"] if entry.superseded_at is not None else []
    return _lines(", ".join(facts) + ".", [literal(entry.content)])


def changed(verb: str) -> Form[Entry]:
    """An entry after something was done to it."""
    return Form(entry_document, lambda entry: f"{verb} {head(entry)}.")


def _remembered(entry: Entry) -> str:
    again = f", known already, seen {entry.seen} times" if entry.seen > 1 else ""
    return f"Remembered {head(entry)}{again}."


def page_document(page: Page) -> Json:
    """A page as a document; `after` asks for the next one."""
    return {"entries": [entry_document(entry) for entry in page.entries], "after": page.after}


def _page_text(page: Page) -> str:
    if not page.entries:
        return "Nothing is there."
    more = f" There is more: ask again with after={page.after}." if page.after else ""
    rows = (f"- {head(entry)}: {quoted(entry.content)}" for entry in page.entries)
    return _lines(f"{_counted(len(page.entries), 'entry', 'entries')}, newest first.{more}", rows)


def hit_document(hit: Hit) -> dict[str, Json]:
    """A hit as a document, with its reasons."""
    return {
        "entry": entry_document(hit.entry),
        "score": hit.score,
        "relevance": hit.relevance,
        "text": hit.text,
        "signals": _signals(hit.signals),
        "beside": [{"relation": near.relation, "entry": entry_document(near.entry)} for near in hit.beside],
    }


def _signals(signals: Sequence[Signal]) -> list[Json]:
    return [
        {"name": s.name, "raw": s.raw, "rank": s.rank, "weight": s.weight, "points": s.points}
        for s in signals
    ]


def answer_document(answer: Answer) -> Json:
    """An answer as a document."""
    return {
        "query": answer.query,
        "mode": answer.mode,
        "hits": [hit_document(hit) for hit in answer.hits],
        "notes": list(answer.notes),
    }


def _answer_text(answer: Answer) -> str:
    if not answer.hits:
        return "Nothing was found. Try other words, or list."
    rows = [row for hit in answer.hits for row in _hit_rows(hit)]
    return _lines(f"{_counted(len(answer), 'memory', 'memories')}, the best first.", rows)


def _hit_rows(hit: Hit) -> list[str]:
    beside = [f"  {near.relation}: {head(near.entry)}: {quoted(near.entry.content)}" for near in hit.beside]
    return [f"- {head(hit.entry)}: {quoted(hit.entry.content, _WHOLE)}", *beside]


def context_document(context: Context) -> Json:
    """A block for a prompt as a document."""
    return {"text": context.text, "hits": [hit_document(hit) for hit in context.hits]}


def why_document(why: Why) -> Json:
    """What a question makes of an entry, as a document."""
    return {
        "entry": entry_document(why.entry),
        "query": why.query,
        "mode": why.mode,
        "found": why.found,
        "place": why.place,
        "among": why.among,
        "score": why.score,
        "relevance": why.relevance,
        "reasons": list(why.reasons),
        "signals": _signals(why.signals),
        "words": [
            {"term": word.term, "times": word.times, "pieces": word.pieces, "weight": word.weight}
            for word in why.words
        ],
    }


def _why_text(why: Why) -> str:
    if why.found:
        points = ", ".join(f"{signal.name} {signal.points:.3f}" for signal in why.signals)
        return f"{head(why.entry)} is found at place {why.place} of {why.among}. Points: {points}."
    return f"{head(why.entry)} is not found. {' '.join(why.reasons)}"


def receipt_document(receipt: Receipt) -> Json:
    """A receipt as a document."""
    plain = cast("dict[str, Json]", {field.name: getattr(receipt, field.name) for field in fields(receipt)})
    plain["remains"] = list(receipt.remains)
    return plain


def _receipt_text(receipt: Receipt) -> str:
    verb = "Would forget" if receipt.dry_run else "Forgot"
    remains = f" Something remains: {'; '.join(receipt.remains)}." if receipt.remains else ""
    return f"{verb} {receipt.subject}.{remains}"


def link_document(link: Link) -> dict[str, Json]:
    """A link as a document."""
    return {
        "from_id": link.from_id,
        "relation": link.relation,
        "to_id": link.to_id,
        "space": link.space,
        "to_space": link.to_space,
        "weight": link.weight,
        "provenance": link.provenance,
        "created_at": to_rfc3339(link.created_at),
    }


def _link_text(link: Link) -> str:
    return f"Linked: {link.from_id} {link.relation} {link.to_id}."


def links_document(found: Links) -> Json:
    """The links at an entry as a document."""
    return {"id": found.entry.id, "links": [link_document(link) for link in found.links]}


def _links_text(found: Links) -> str:
    if not found.links:
        return f"{head(found.entry)} has no links."
    rows = (f"- {link.from_id} {link.relation} {link.to_id}" for link in found.links)
    return "\n".join([f"{head(found.entry)}, id {found.entry.id}:", *rows])


def unlinked_document(gone: Unlinked) -> Json:
    """A link that is no more, as a document."""
    return {"unlinked": {"from_id": gone.from_id, "relation": gone.relation, "to_id": gone.to_id}}


def history_document(history: History) -> Json:
    """Every change of an entry as a document, each with the whole entry as it was before."""
    changes: list[Json] = [
        {
            "revision": change.revision,
            "operation": change.operation,
            "actor": change.actor,
            "at": to_rfc3339(change.at),
            "undoes": change.undoes,
            "before": None if state is None else entry_document(state),
        }
        for change, state in zip(history.changes, history.before(), strict=True)
    ]
    return {"id": history.entry.id, "number": history.entry.number, "changes": changes}


def _history_text(history: History) -> str:
    rows = (
        f"- revision {change.revision}, {to_rfc3339(change.at)}: {change.operation} by {change.actor}"
        + ("" if state is None else f"; before: {quoted(state.content)}")
        for change, state in zip(history.changes, history.before(), strict=True)
    )
    return _lines(f"{head(history.entry)}, oldest change first.", rows)


def stats_document(stats: Stats) -> Json:
    """How much there is, as a document."""
    return {
        "location": stats.location,
        "agents": stats.agents,
        "spaces": stats.spaces,
        "entries": stats.entries,
        "kinds": [{"kind": kind.kind, "entries": kind.entries, "live": kind.live} for kind in stats.kinds],
    }


def _stats_text(stats: Stats) -> str:
    kinds = ", ".join(f"{kind.kind} {kind.live}" for kind in stats.kinds)
    return f"{_counted(stats.entries, 'entry', 'entries')} in sight. Answers now: {kinds or 'none'}."


def agents_document(agents: Sequence[AgentSummary]) -> Json:
    """Every agent as a document."""
    rows: list[Json] = [
        {
            "agent": agent.agent,
            "entries": agent.entries,
            "spaces": agent.spaces,
            "created_at": to_rfc3339(agent.created_at),
            "updated_at": to_rfc3339(agent.updated_at),
        }
        for agent in agents
    ]
    return {"agents": rows}


def _agents_text(agents: Sequence[AgentSummary]) -> str:
    return "\n".join(f"- {agent.agent}: {agent.entries} entries" for agent in agents) or "No agents yet."


def verdict_document(verdict: Verdict) -> Json:
    """What a check found, as a document."""
    return {
        "ok": verdict.ok,
        "entries": verdict.entries,
        "checks": verdict.checks,
        "problems": list(verdict.problems),
    }


def _verdict_text(verdict: Verdict) -> str:
    looked = f"{_counted(verdict.entries, 'entry', 'entries')}, {verdict.checks} checks"
    return f"Sound: {looked}." if verdict.ok else "\n".join([f"Problems ({looked}):", *verdict.problems])


def exported_document(done: Exported) -> Json:
    """What an export wrote, as a document."""
    return {"exported": done.exported, "file": done.file, "format": done.format}


def intaken_document(came: Intaken) -> dict[str, Json]:
    """What an import took in, as a document."""
    return {
        "added": came.added,
        "known": came.known,
        "links": came.links,
        "links_without_end": came.links_without_end,
    }


def _intaken_text(came: Intaken) -> str:
    return f"{came.added} came in, {came.known} were known already, {came.links} links."


def remade_document(remade: Remade) -> Json:
    """What a reindex did, as a document."""
    done = remade.done
    return {
        "entries": done.entries,
        "mended": done.mended,
        "vectors": done.vectors,
        "removed": done.removed,
        "model": done.model,
        "language": done.language,
        "pending": remade.owed.left,
    }


def _remade_text(remade: Remade) -> str:
    done = remade.done
    return f"{done.entries} entries, {done.mended} indexed anew, {done.vectors} vectors made."


def installed_document(model: Installed) -> dict[str, Json]:
    """An installed model as a document."""
    return {
        "name": model.name,
        "setting": model.setting,
        "source": model.source,
        "sha256": model.sha256,
        "bytes": model.bytes,
    }


def models_document(models: Models) -> Json:
    """The models that there are, as a document."""
    state = models.state
    return {
        "store": {
            "model": state.model,
            "dimensions": state.dimensions,
            "coming": state.coming,
            "language": state.language,
            "pieces": state.pieces,
            "without_vector": state.without_vector,
            "pending": state.pending,
            "dead": state.dead,
        },
        "installed": [installed_document(model) for model in models.installed],
        "always": list(models.always),
        "known": list(models.known),
    }


def _models_text(models: Models) -> str:
    here = [*models.always, *(model.setting for model in models.installed)]
    return f"This store: {models.state.model or 'no model yet'}. Here: {', '.join(here)}."


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


REMEMBERED = Form(entry_document, _remembered)
ENTRY = Form(entry_document, _entry_text)
PAGE = Form(page_document, _page_text)
ANSWER = Form(answer_document, _answer_text)
CONTEXT = Form(context_document, lambda found: found.text or "Nothing relevant is remembered.")
WHY = Form(why_document, _why_text)
RECEIPT = Form(receipt_document, _receipt_text)
LINK = Form(link_document, _link_text)
LINKS = Form(links_document, _links_text)
UNLINKED = Form(unlinked_document, lambda gone: f"Unlinked {gone.from_id} {gone.relation} {gone.to_id}.")
HISTORY = Form(history_document, _history_text)
STATS = Form(stats_document, _stats_text)
AGENTS = Form(agents_document, _agents_text)
VERDICT = Form(verdict_document, _verdict_text)
EXPORTED = Form(exported_document, lambda done: f"Exported {done.exported} entries to {done.file}.")
REMADE = Form(remade_document, _remade_text)
MODELS = Form(models_document, _models_text)
INTAKEN = Form(intaken_document, _intaken_text)
