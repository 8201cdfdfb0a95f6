"""Vectors by one model at a time: mismatch, reindexing while others write, back-fill, and the outbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lukasa.config import Settings
from lukasa.embed.hashed import HashedEmbedder
from lukasa.errors import (
    ConflictError,
    DimensionMismatchError,
    EmbeddingModelChangedError,
    LukasaError,
    UsageError,
)
from lukasa.testing.remote import FarEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lukasa.matrices import Matrix, Vector
    from lukasa.memory import Handle
    from lukasa.testing.contract.sight import Reopened
    from lukasa.testing.frozen import FrozenClock

SMALL, LARGE, WORDS = (Settings(embedding=name) for name in ("hashed:32", "hashed:64", "none"))


class Stumbling:
    """A hashed embedder that calls somebody before its n-th answer, for what happens in the middle."""

    remote = False

    def __init__(self, dimensions: int = 64, *, identity: str | None = None) -> None:
        self._inner = HashedEmbedder(dimensions)
        self.dimensions = dimensions
        self.identity = identity or f"stumbling:{dimensions}@1"
        self.answers = 0
        self.stumbles_at = 0

    def documents(self, texts: Sequence[str]) -> Matrix:
        self.answers += 1
        if self.answers == self.stumbles_at:
            raise LukasaError("It stumbled.")
        return self._inner.documents(texts)

    def query(self, text: str) -> Vector:
        return self._inner.query(text)


def nearest(handle: Handle, question: str) -> str:
    """The text that is nearest in meaning."""
    return handle.recall(question, mode="vector", limit=1).hits[0].entry.content


def fill(handle: Handle, count: int, *, first: int = 0) -> None:
    """Remembers so many notes, each of something else."""
    for number in range(first, first + count):
        handle.remember(f"Note {number} speaks of topic{number} and of nothing else.")


class MismatchContract:
    """Another model, or another length, is an error that names both, at reading and at writing."""

    def test_another_model_is_refused_and_the_fix_works(self, reopened: Reopened) -> None:
        reopened(SMALL).agent("ana").remember("The sea is near.")
        other = reopened(LARGE)
        ana = other.agent("ana")
        for refused in (lambda: ana.remember("More."), lambda: ana.recall("sea")):
            with pytest.raises(EmbeddingModelChangedError, match=r"hashed:32@1.*hashed:64@1") as error:
                refused()
            assert "lukasa reindex --model hashed:64" in error.value.fix
            assert "hashed:32" in error.value.fix
        assert [entry.content for entry in ana.list().entries] == ["The sea is near."]
        done = other.reindex(model="hashed:64")
        assert (done.model, done.vectors, done.removed) == ("hashed:64@1", 1, 1)
        ana.remember("The hills are far.")
        assert nearest(ana, "sea") == "The sea is near."

    def test_another_length_is_refused_and_the_fix_works(self, reopened: Reopened) -> None:
        reopened(embedder=Stumbling(32, identity="own:model@1")).agent("ana").remember("The sea is near.")
        changed = reopened(embedder=Stumbling(48, identity="own:model@1"))
        ana = changed.agent("ana")
        for refused in (lambda: ana.remember("More."), lambda: ana.recall("sea")):
            with pytest.raises(DimensionMismatchError, match=r"32.*own:model@1.*48") as error:
                refused()
            assert error.value.fix.endswith("lukasa reindex --model own:model")
        with pytest.raises(DimensionMismatchError):
            changed.reindex()
        assert changed.reindex(model="own:model@1").vectors == 1
        assert changed.index_state().dimensions == 48
        assert nearest(ana, "sea") == "The sea is near."

    def test_the_default_takes_the_model_of_the_store(self, reopened: Reopened) -> None:
        reopened(SMALL).agent("ana").remember("The sea is near.")
        usual = reopened()
        usual.agent("ana").remember("The hills are far.")
        assert usual.index_state().model == "hashed:32@1"
        assert usual.index_state().without_vector == 0


class ReindexContract:
    """A reindex can be stopped and begun again, serves reads meanwhile, and leaves no gap."""

    def test_a_store_of_words_gets_vectors_when_they_are_switched_on(self, reopened: Reopened) -> None:
        reopened(WORDS).agent("ana").remember("The sea is near.")
        later = reopened(SMALL)
        ana = later.agent("ana")
        ana.remember("The hills are far.")
        assert (later.index_state().model, ana.recall("sea").mode) == (None, "keyword")
        with pytest.raises(UsageError, match="by meaning alone"):
            ana.recall("sea", mode="vector")
        assert later.reindex().vectors == 2
        assert nearest(ana, "sea") == "The sea is near."
        assert later.index_state().without_vector == 0

    def test_what_a_writer_without_model_left_out_is_filled_in(self, reopened: Reopened) -> None:
        with_model, without = reopened(SMALL), reopened(WORDS)
        ana = with_model.agent("ana")
        ana.remember("The hills are far.")
        without.agent("ana").remember("The sea is near.")
        assert nearest(ana, "sea") == "The hills are far."
        assert with_model.index_state().without_vector == 1
        assert with_model.reindex().vectors == 1
        assert nearest(ana, "sea") == "The sea is near."
        assert with_model.reindex().vectors == 0

    def test_one_that_stops_in_the_middle_goes_on_where_it_was(self, reopened: Reopened) -> None:
        old = reopened(SMALL)
        ana = old.agent("ana")
        fill(ana, 400)
        before = [hit.entry.content for hit in ana.recall("topic7")]
        stumbling = Stumbling()
        stumbling.stumbles_at = 3
        new = reopened(embedder=stumbling)
        with pytest.raises(LukasaError, match="stumbled"):
            new.reindex(model=stumbling.identity)
        state = old.index_state()
        assert (state.model, state.coming) == ("hashed:32@1", "stumbling:64@1")
        assert [hit.entry.content for hit in ana.recall("topic7")] == before, "the old model still answers"
        ana.remember("Said while it is half done: zebra.")
        done = new.reindex(model=stumbling.identity)
        assert 1 < done.vectors < 401, "what was made before is not made again"
        state = new.index_state()
        assert (state.model, state.coming, state.without_vector) == ("stumbling:64@1", None, 0)
        said = "Said while it is half done: zebra."
        assert nearest(new.agent("ana"), said) == said
        with pytest.raises(EmbeddingModelChangedError):
            ana.recall("zebra")

    def test_what_is_written_changed_and_forgotten_meanwhile_leaves_no_gap(self, reopened: Reopened) -> None:
        old = reopened(SMALL)
        ana, bob = old.agent("ana"), old.agent("bob")
        fill(ana, 300)
        ana.add("plan", "The plan is secret.")
        embedder = FarEmbedder()
        written: list[str] = []

        def meanwhile() -> None:
            number = len(embedder.asked)
            written.append(ana.remember(f"Written meanwhile {number}.").id)
            ana.write("plan", f"The plan changed {number} times.")
            ana.forget(f"#{number + 1}")
            bob.remember(f"In a space that was not there before, {number}.")

        embedder.meanwhile = meanwhile
        new = reopened(embedder=embedder)
        new.reindex(model=embedder.identity)
        embedder.meanwhile = None
        assert len(written) >= 4
        while new.embed_pending().left:
            pass
        state = new.index_state()
        assert (state.model, state.without_vector, state.pending) == ("far:words@1", 0, 0)
        texts = [entry.content for entry in new.agent("ana").list(limit=1_000).entries]
        assert len(texts) == state.pieces - len(new.agent("bob").list().entries)
        assert nearest(new.agent("ana"), "changed times plan") in texts

    def test_a_second_one_to_another_model_ends_the_first(self, reopened: Reopened) -> None:
        old = reopened(SMALL)
        fill(old.agent("ana"), 3)
        slow, other = FarEmbedder(), reopened(LARGE)
        first = reopened(embedder=slow)
        slow.documents(["so that its length is known"])
        slow.meanwhile = lambda: other.reindex(model="hashed:64")
        with pytest.raises(ConflictError, match="Another reindex"):
            first.reindex(model=slow.identity)
        assert other.index_state().model == "hashed:64@1"
        assert other.index_state().without_vector == 0

    def test_vectors_can_be_switched_off(self, reopened: Reopened) -> None:
        opened = reopened(SMALL)
        ana = opened.agent("ana")
        fill(ana, 3)
        assert opened.reindex(model="none").removed == 3
        assert opened.index_state().model is None
        assert ana.recall("topic1").mode == "keyword"
        fill(ana, 1, first=9)
        assert opened.reindex(model="hashed:32").vectors == 4

    def test_nothing_is_done_twice_and_progress_is_told(self, reopened: Reopened) -> None:
        opened = reopened(SMALL)
        fill(opened.agent("ana"), 5)
        seen: list[tuple[int, int]] = []
        done = opened.reindex(progress=lambda reached, of: seen.append((reached, of)))
        assert (done.entries, done.mended, done.vectors, done.removed) == (5, 0, 0, 0)
        assert seen[-1] == (5, 5)

    def test_the_language_can_be_changed(self, reopened: Reopened) -> None:
        opened = reopened(SMALL)
        ana = opened.agent("ana")
        ana.remember("Die Katzen schlafen.")
        assert not ana.recall("Katze", mode="keyword").hits
        assert opened.reindex(language="german").language == "german"
        assert ana.recall("Katze", mode="keyword").hits
        assert opened.index_state().without_vector == 0
        with pytest.raises(UsageError):
            opened.reindex(language="klingon")
        with pytest.raises(UsageError, match="german"):
            reopened(Settings(embedding="hashed:32", language="english")).agent("ana").recall("Katze")

    def test_an_empty_store_takes_the_model_for_what_is_to_come(self, reopened: Reopened) -> None:
        opened = reopened()
        assert opened.reindex().model is None
        assert opened.reindex(model="hashed:32").model == "hashed:32@1"
        later = reopened()
        later.agent("ana").remember("The sea is near.")
        assert (later.index_state().model, later.index_state().without_vector) == ("hashed:32@1", 0)


class OutboxContract:
    """A remote model is never waited for: its vectors follow, and what fails is tried again later."""

    def test_a_write_asks_nobody_and_is_found_by_words(self, reopened: Reopened) -> None:
        far = FarEmbedder(failures=1_000)
        opened = reopened(embedder=far)
        ana = opened.agent("ana")
        ana.remember("The sea is near.")
        assert far.asked == []
        assert ana.recall("sea", mode="keyword").hits[0].entry.content == "The sea is near."
        state = opened.index_state()
        assert (state.model, state.without_vector, state.pending) == ("far:words@1", 1, 1)

    def test_a_model_that_does_not_answer_leaves_the_words(self, reopened: Reopened) -> None:
        far = FarEmbedder()
        opened = reopened(embedder=far)
        ana = opened.agent("ana")
        fill(ana, 3)
        early = ana.recall("topic1")
        assert (early.mode, early.notes) == ("keyword", ("No text has a vector yet: found by words alone.",))
        opened.embed_pending()
        assert (ana.recall("topic1").mode, ana.recall("topic1").notes) == ("hybrid", ())
        far.failures = 3
        answer, told = ana.recall("topic1"), ana.why(1, "topic1")
        assert answer.hits[0].entry.content == early.hits[0].entry.content
        assert answer.notes == ("The model far:words did not answer: found by words alone.",)
        assert (answer.mode, told.mode) == ("keyword", "keyword")
        with pytest.raises(LukasaError, match="did not answer"):
            ana.recall("topic1", mode="vector")

    def test_the_vectors_follow(self, reopened: Reopened) -> None:
        far = FarEmbedder()
        opened = reopened(embedder=far)
        ana = opened.agent("ana")
        fill(ana, 40)
        done = opened.embed_pending(limit=10)
        assert (done.done, done.left, done.dead) == (10, 30, 0)
        assert opened.embed_pending().left == 0
        assert nearest(ana, "topic39") == "Note 39 speaks of topic39 and of nothing else."
        assert len(far.asked) < 10, "they are asked for together"
        assert opened.index_state().dimensions == 32

    def test_a_failure_is_put_off_longer_each_time_and_given_up_at_last(
        self, reopened: Reopened, clock: FrozenClock
    ) -> None:
        far = FarEmbedder(failures=1_000)
        opened = reopened(embedder=far)
        opened.agent("ana").remember("The sea is near.")
        for tries in range(20):
            came = opened.embed_pending()
            assert (came.done, came.put_off, came.left) == (0, 1, 1)
            assert came.error is not None
            assert "did not answer" in came.error
            wait = min(300, 5 * 2**tries)
            clock.forward(seconds=wait - 1)
            assert opened.embed_pending().put_off == 0, "not before its time"
            clock.forward(seconds=1)
        assert (opened.embed_pending().dead, len(far.asked)) == (1, 20)
        assert opened.index_state().dead == 1
        far.failures = 0
        assert opened.reindex().vectors == 1
        assert opened.index_state().pending == 0

    def test_a_text_that_is_refused_holds_up_no_other(self, reopened: Reopened, clock: FrozenClock) -> None:
        opened = reopened(embedder=FarEmbedder(refuses="poison"))
        ana = opened.agent("ana")
        ana.remember("This is poison.")
        fill(ana, 5)
        for _ in range(8):
            opened.embed_pending()
            clock.forward(seconds=300)
        assert opened.index_state().pending == 1
        assert nearest(ana, "topic4") == "Note 4 speaks of topic4 and of nothing else."

    def test_what_is_forgotten_is_not_embedded(self, reopened: Reopened) -> None:
        far = FarEmbedder()
        opened = reopened(embedder=far)
        ana = opened.agent("ana")
        private = ana.remember("A private matter.")
        ana.remember("The sea is near.")
        ana.forget(private.id)
        assert opened.index_state().pending == 1
        opened.embed_pending()
        assert far.asked == [["The sea is near."]]

    def test_what_is_forgotten_or_changed_while_it_is_made_is_right_in_the_end(
        self, reopened: Reopened
    ) -> None:
        far = FarEmbedder()
        opened = reopened(embedder=far)
        ana = opened.agent("ana")
        gone, kept = ana.remember("A private matter."), ana.remember("The sea is near.")

        def meanwhile() -> None:
            far.meanwhile = None
            ana.forget(gone.id)
            ana.write(kept.id, "The hills are far.")

        far.meanwhile = meanwhile
        came = opened.embed_pending()
        assert (came.left, opened.index_state().without_vector) == (0, 0)
        assert far.asked[-1] == ["The hills are far."]
        assert nearest(ana, "hills") == "The hills are far."

    def test_what_is_said_again_while_it_is_made_is_made_later(
        self, reopened: Reopened, clock: FrozenClock
    ) -> None:
        far = FarEmbedder()
        opened = reopened(embedder=far)
        ana = opened.agent("ana")
        ana.remember("The sea is near.")
        far.meanwhile = lambda: ana.remember("The sea is near.")
        assert opened.embed_pending().left == 1
        far.meanwhile = None
        clock.forward(seconds=61)
        assert opened.embed_pending().left == 0
        assert nearest(ana, "sea") == "The sea is near."

    def test_a_worker_that_died_gives_back_what_it_held(self, reopened: Reopened, clock: FrozenClock) -> None:
        far = FarEmbedder()
        opened = reopened(embedder=far)
        opened.agent("ana").remember("The sea is near.")

        def die() -> None:
            raise KeyboardInterrupt

        far.meanwhile = die
        with pytest.raises(KeyboardInterrupt):
            opened.embed_pending()
        far.meanwhile = None
        assert opened.embed_pending().done == 0
        clock.forward(seconds=60)
        assert opened.embed_pending().done == 1

    def test_a_model_that_answers_in_another_length_is_refused(self, reopened: Reopened) -> None:
        far = FarEmbedder()
        reopened(embedder=far).agent("ana").remember("The sea is near.")
        reopened(embedder=far).embed_pending()
        other = Stumbling(48, identity=far.identity)
        with pytest.raises(DimensionMismatchError, match=r"32.*48"):
            reopened(embedder=other).embed_pending()
