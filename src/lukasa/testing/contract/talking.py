"""What a recall must make of conversations: who said it, when, where, and after which question."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from lukasa.config import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lukasa.config import Mode
    from lukasa.handle import Handle
    from lukasa.memory import Store
    from lukasa.recall.answer import Answer, Hit, SignalName
    from lukasa.testing.contract.sight import Reopened

SAID: tuple[Mode, ...] = ("keyword", "hybrid")
WORDS_ONLY = Settings(embedding="none")


def said(handle: Handle, session: str, *turns: str, day: int = 1) -> None:
    """Remembers a conversation, turn by turn."""
    for minute, turn in enumerate(turns):
        moment = datetime(2023, 5, day, 12, minute, tzinfo=UTC)
        handle.remember(turn, kind="note", session_id=session, at=moment)


def texts(hits: Iterable[Hit]) -> list[str]:
    """What was found, best first."""
    return [hit.entry.content for hit in hits]


def points(answer: Answer, content: str, name: SignalName) -> float:
    """What a reason counts for in a hit; nothing where it has no say."""
    hit = next(hit for hit in answer if hit.entry.content == content)
    return sum(signal.points for signal in hit.signals if signal.name == name)


class TalkContract:
    """Conversations: what was said is read with what was said around it, and weighed with it."""

    @pytest.mark.parametrize("mode", SAID)
    def test_what_somebody_said_who_is_asked_about_comes_first(self, store: Store, mode: Mode) -> None:
        ana = store.agent("ana")
        said(ana, "s1", "Caroline: I paint the harbour.", "Melanie: I paint the lighthouse.")
        answer = ana.recall("What does Melanie paint?", mode=mode)
        assert texts(answer)[0] == "Melanie: I paint the lighthouse."
        assert points(answer, "Melanie: I paint the lighthouse.", "speaker") > 0
        assert points(answer, "Caroline: I paint the harbour.", "speaker") == 0

    @pytest.mark.parametrize("mode", SAID)
    def test_my_is_the_users_and_you_said_is_the_assistants(self, store: Store, mode: Mode) -> None:
        ana = store.agent("ana")
        said(ana, "s1", "user: The hotel is near the harbour.", "assistant: The hotel is near the station.")
        mine = ana.recall("Where is my hotel?", mode=mode)
        assert texts(mine)[0] == "user: The hotel is near the harbour."
        yours = ana.recall("Where is the hotel that you recommended?", mode=mode)
        assert texts(yours)[0] == "assistant: The hotel is near the station."

    @pytest.mark.parametrize("mode", SAID)
    def test_a_question_is_seldom_its_own_answer(self, store: Store, mode: Mode) -> None:
        ana = store.agent("ana")
        said(ana, "s1", "Leo: Did the greyhound sleep?", "Mia: The greyhound did sleep.")
        answer = ana.recall("Did the greyhound sleep?", mode=mode)
        assert texts(answer)[0] == "Mia: The greyhound did sleep."
        assert points(answer, "Leo: Did the greyhound sleep?", "asking") < 0

    @pytest.mark.parametrize("mode", SAID)
    def test_the_answer_is_found_by_the_words_of_its_question(self, store: Store, mode: Mode) -> None:
        ana = store.agent("ana")
        said(ana, "s1", "Leo: Where did you adopt the greyhound?", "Mia: In Cork, last spring.", "Leo: Nice!")
        said(ana, "s2", "Mia: The bread is in the oven.", "Leo: It smells good.")
        found = texts(ana.recall("Where was the greyhound adopted?", mode=mode, limit=2))
        assert "Mia: In Cork, last spring." in found

    @pytest.mark.parametrize("mode", SAID)
    def test_what_was_said_at_the_time_comes_first(self, store: Store, mode: Mode) -> None:
        ana = store.agent("ana")
        for day in (3, 24):
            said(ana, f"s{day}", f"Mia: The concert was fine, number {day}.", day=day)
        answer = ana.recall("How was the concert on 24 May 2023?", mode=mode)
        assert texts(answer)[0] == "Mia: The concert was fine, number 24."
        assert points(answer, texts(answer)[0], "time") > 0

    @pytest.mark.parametrize("mode", SAID)
    def test_a_date_without_a_year_is_the_last_one_in_the_talk(self, store: Store, mode: Mode) -> None:
        ana = store.agent("ana")
        said(ana, "s1", "Mia: The concert was fine.", day=3)
        answer = ana.recall("How was the concert in May?", mode=mode)
        assert points(answer, "Mia: The concert was fine.", "time") > 0

    @pytest.mark.parametrize("mode", SAID)
    def test_a_conversation_that_fits_as_a_whole_counts_for_its_turns(self, store: Store, mode: Mode) -> None:
        ana = store.agent("ana")
        said(ana, "s1", "Mia: The violin needs strings.", "Leo: The concert hall is booked.")
        said(ana, "s2", "Mia: The violin needs polish.", "Leo: The bread is baked.")
        answer = ana.recall("violin concert", mode=mode)
        with_concert = points(answer, "Mia: The violin needs strings.", "session")
        assert with_concert > points(answer, "Mia: The violin needs polish.", "session")

    def test_what_stands_alone_is_scored_as_if_nobody_had_talked(
        self, store: Store, reopened: Reopened
    ) -> None:
        contents = ("The rust of the gate?", "rust memory lane", "user: rust")
        lone = store.agent("lone")
        for content in contents:
            lone.remember(content, kind="note")
        assert {signal.name for hit in lone.recall("rust", mode="keyword") for signal in hit.signals} == {
            "words"
        }
        ana = reopened(WORDS_ONLY).agent("mixed")
        for content in contents:
            ana.remember(content, kind="note")
        said(ana, "s1", "Mia: My gate is old.", "Leo: Does it rust?")
        names = {
            signal.name
            for hit in ana.recall("rust", mode="keyword")
            if hit.entry.session_id is None
            for signal in hit.signals
        }
        assert names == {"words"}

    @pytest.mark.parametrize("mode", SAID)
    def test_a_score_is_the_sum_of_its_reasons(self, store: Store, mode: Mode) -> None:
        ana = store.agent("ana")
        said(ana, "s1", "Mia: I adopted a greyhound.", "Leo: Where did you adopt it?", "Mia: In Cork.")
        said(ana, "s2", "Leo: The greyhound ran off in May.", day=20)
        answer = ana.recall("What did Leo say of the greyhound in May 2023?", mode=mode)
        assert len(answer) > 1
        for hit in answer:
            assert hit.score == sum(signal.points for signal in hit.signals)
        assert list(answer) == sorted(answer, key=lambda hit: -hit.score)
