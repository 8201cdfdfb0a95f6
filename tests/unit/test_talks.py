"""Recorded conversations are read from files of two styles, and recall on them is measured."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from lukasa.bench.recall import measure
from lukasa.bench.talks import read
from lukasa.config import Settings
from lukasa.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from lukasa.db.database import Json

WORDS_ONLY = Settings(embedding="none")
CONVERSATION: dict[str, Json] = {
    "sample_id": "made-up",
    "conversation": {
        "speaker_a": "Mia",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"dia_id": "D1:1", "speaker": "Mia", "text": "I adopted a greyhound from the shelter."},
            {"dia_id": "D1:2", "speaker": "Leo", "text": "Lovely!", "blip_caption": "a grey dog on a sofa"},
        ],
        "session_2_date_time": "9:00 am on 2 June, 2023",
        "session_2": [
            {"dia_id": "D2:1", "speaker": "Leo", "text": "My violin concert is on Friday."},
            {"dia_id": "D2:2", "speaker": "Mia", "text": "I will bake bread for it."},
        ],
        "session_3_date_time": "no date",
    },
    "qa": [
        {"question": "Which dog did Mia adopt?", "evidence": ["D1:1"], "category": 4},
        {"question": "What do Mia and Leo do on Friday?", "evidence": ["D2:1; D2:2"], "category": 1},
        {"question": "Nobody said this", "evidence": ["D9:9"], "category": 2},
        {"question": "Nor this", "category": 5},
    ],
}


def item(name: str, question: str, *sessions: str, answers: tuple[int, ...] = (0,)) -> dict[str, Json]:
    family = name.removesuffix("_abs")
    return {
        "question_id": name,
        "question_type": "single-session-user",
        "question": question,
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/20 (Sat) 02:21" for _ in sessions],
        "haystack_session_ids": [f"answer_{family}_{at}" for at in range(len(sessions))],
        "answer_session_ids": [f"answer_{family}_{at}" for at in answers],
        "haystack_sessions": [
            [
                {"role": "user", "content": text, "has_answer": at in answers},
                {"role": "assistant", "content": "Glad to hear it."},
                {"role": "assistant", "content": "  "},
            ]
            for at, text in enumerate(sessions)
        ],
    }


FIRST = item("q1", "What breed is my dog?", "My dog is a greyhound.", "I like bread.")
QUESTIONS: list[Json] = [
    FIRST,
    item("q2", "Where is my violin?", "My violin is at the workshop."),
    item("q3_abs", "What colour is my boat?", "I sail on Sundays."),
]


def first(**changes: Json) -> dict[str, Json]:
    return {**FIRST, **changes}


def written(folder: Path, content: Json, name: str = "made_up.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_conversation_is_a_talk_of_turns_and_questions(tmp_path: Path) -> None:
    collection = read(written(tmp_path, [CONVERSATION]))
    assert (collection.style, collection.name) == ("locomo", "made_up")
    (talk,) = collection.talks
    assert [turn.id for turn in talk.turns] == ["D1:1", "D1:2", "D2:1", "D2:2"]
    assert talk.turns[1].text == "[1:56 pm on 8 May, 2023] Leo: Lovely! [a grey dog on a sofa]"
    assert [question.type for question in talk.questions] == ["single-hop", "multi-hop"]
    assert talk.questions[1].evidence == {"D2:1", "D2:2"}
    assert talk.questions[1].sessions == {"session_2"}


def test_questions_without_valid_evidence_are_left_out(tmp_path: Path) -> None:
    (talk,) = read(written(tmp_path, [CONVERSATION])).talks
    assert len(talk.questions) == 2


def test_each_question_has_a_haystack_with_its_own_sessions_first(tmp_path: Path) -> None:
    collection = read(written(tmp_path, QUESTIONS))
    assert collection.style == "longmemeval"
    sessions = [list(dict.fromkeys(turn.session for turn in talk.turns)) for talk in collection.talks]
    assert sessions[1] == ["answer_q2_0", "answer_q1_0", "answer_q1_1", "answer_q3_0"]
    (question,) = collection.talks[0].questions
    assert question.evidence == {"answer_q1_0#0"}
    assert [talk.questions[0].answerable for talk in collection.talks] == [True, True, False]
    assert question.asked_at == 1_685_490_000_000


def test_a_haystack_has_at_most_so_many_sessions(tmp_path: Path) -> None:
    path = written(tmp_path, QUESTIONS)
    for talk in read(path, haystack=2).talks:
        assert len({turn.session for turn in talk.turns}) == 2


def test_no_session_of_its_own_family_is_hay(tmp_path: Path) -> None:
    sibling = item("q1", "And my cat?", "I have no cat.")
    sibling |= {
        "question_id": "q1b",
        "haystack_session_ids": ["answer_q1_7"],
        "answer_session_ids": ["answer_q1_7"],
    }
    talk = read(written(tmp_path, [*QUESTIONS, sibling])).talks[0]
    assert "answer_q1_7" not in {turn.session for turn in talk.turns}


NOT_SO: list[tuple[Json, str]] = [
    ([], "neither LoCoMo-style"),
    ({}, "neither LoCoMo-style"),
    ("text", "neither LoCoMo-style"),
    ([1], "neither LoCoMo-style"),
    ([{"question": "?"}], "neither LoCoMo-style"),
    ([{"conversation": {}, "qa": [{}]}], "no 'question'"),
    ([{"conversation": {"session_1": [{"speaker": "Mia"}]}, "qa": []}], "no 'dia_id'"),
    ([{"conversation": [], "qa": []}], "is not one"),
    ([{"conversation": {}, "qa": [{"question": "?", "evidence": [], "category": "x"}]}], "is not one"),
    ([FIRST, {}], "no 'haystack_session_ids'"),
    ([first(haystack_dates=[])], "is not one"),
    ([first(haystack_sessions=[[{"content": "x"}], []])], "no 'role'"),
]


@pytest.mark.parametrize(("content", "message"), NOT_SO)
def test_a_file_that_is_not_so_is_an_error_that_says_what_is_wrong(
    tmp_path: Path, content: Json, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        read(written(tmp_path, content))


def test_what_is_no_json_or_not_there_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("[{")
    for name in ("broken.json", "missing.json"):
        with pytest.raises(UsageError, match="cannot be read"):
            read(tmp_path / name)


def test_recall_on_a_conversation_is_measured(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    report = measure(
        written(tmp_path, [CONVERSATION]),
        settings=WORDS_ONLY,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert (report["style"], report["talks"], report["questions"]) == ("locomo", 1, 2)
    for name in ("turn R@5", "turn R@10", "turn R@20", "MRR", "session R@5", "session R@10"):
        assert report[name] == 1.0
    for name in ("any@5", "any@10", "all@10", "nDCG@10"):
        assert report[name] == 1.0
    assert seen == [(2, 2)]
    types = report["by type"]
    assert isinstance(types, dict)
    assert list(types) == ["multi-hop", "single-hop"]
    for name in ("ms p50", "ms p95", "ms CPU"):
        taken = report[name]
        assert isinstance(taken, float)
        assert taken > 0


def test_questions_of_another_conversation_are_strangers(tmp_path: Path) -> None:
    other: dict[str, Json] = {
        "sample_id": "another",
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [{"dia_id": "D1:1", "speaker": "Ida", "text": "The glacier melts."}],
        },
        "qa": [{"question": "What happens to the glacier?", "evidence": ["D1:1"], "category": 4}],
    }
    report = measure(written(tmp_path, [CONVERSATION, other]), settings=WORDS_ONLY)
    relevance = report["relevance"]
    assert isinstance(relevance, dict)
    assert report["questions"] == 3
    assert relevance["strangers"] == {
        "questions": 3,
        "p10": 0.0,
        "p50": 0.0,
        "p90": 0.0,
        "reach the floor": 0.0,
    }
    assert relevance["answerable"]["reach the floor"] == 0.667  # type: ignore[index, call-overload]
    assert relevance["AUC of strangers"] == 1.0


def test_what_cannot_be_answered_counts_for_the_relevance_alone(tmp_path: Path) -> None:
    report = measure(written(tmp_path, QUESTIONS), settings=WORDS_ONLY)
    assert report["questions"] == 2
    relevance = report["relevance"]
    assert isinstance(relevance, dict)
    assert [relevance["answerable"]["questions"], relevance["abstention"]["questions"]] == [2, 1]  # type: ignore[index, call-overload]
    assert relevance["AUC"] == 1.0
    only = measure(written(tmp_path, QUESTIONS[:2], "answerable.json"), settings=WORDS_ONLY)["relevance"]
    assert isinstance(only, dict)
    assert only["AUC"] is None
    assert only["abstention"] == {"questions": 0}


def test_an_answer_below_another_counts_less(tmp_path: Path) -> None:
    said: list[Json] = [
        {"dia_id": f"D1:{at}", "speaker": "Mia", "text": f"The violin, the violin, number {at}."}
        for at in range(1, 8)
    ]
    talk: dict[str, Json] = {
        "conversation": {"session_1": [*said, {"dia_id": "D1:8", "speaker": "Mia", "text": "A violin " * 9}]},
        "qa": [{"question": "Which number has the violin?", "evidence": ["D1:8", "D1:3"], "category": 1}],
    }
    report = measure(written(tmp_path, [talk]), settings=WORDS_ONLY)
    assert report["turn R@20"] == 1.0
    reciprocal = report["MRR"]
    assert isinstance(reciprocal, float)
    assert 0 < reciprocal <= 1
    assert report["turn R@5"] in {0.0, 0.5}


def test_a_limit_asks_only_so_many(tmp_path: Path) -> None:
    path = written(tmp_path, [CONVERSATION, CONVERSATION | {"sample_id": "again"}])
    assert measure(path, settings=WORDS_ONLY, limit=3)["questions"] == 3
    assert measure(path, settings=WORDS_ONLY, limit=1)["questions"] == 1
    with pytest.raises(UsageError, match="found 0"):
        measure(path, settings=WORDS_ONLY, limit=0)
