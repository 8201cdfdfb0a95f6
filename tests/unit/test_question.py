"""A question is taken apart: its words, whom it names, whose words it asks for."""

from __future__ import annotations

import pytest

from lukasa.recall.question import Question, question_of

SPEAKERS = ("assistant", "caroline", "mary ann", "user")


def asked(text: str, speakers: tuple[str, ...] = SPEAKERS) -> Question:
    return question_of(text, language="english", speakers=speakers, now=1_700_000_000_000)


@pytest.mark.parametrize(
    ("text", "speakers"),
    [
        ("What did Caroline paint?", ("caroline",)),
        ("What is Caroline's job?", ("caroline",)),
        ("What does Ann think of my dog?", ("mary ann",)),
        ("What breed is my dog?", ("user",)),
        ("Where did I meet Sophia?", ("user",)),
        ("Where I\u2019m from", ("user",)),
        ("Can you remind me of the restaurant you recommended?", ("assistant",)),
        ("I liked the film that you have just mentioned", ("assistant",)),
        ("I go back to our previous chat about chess", ("assistant",)),
        ("Who won the match?", ()),
        ("Is the island far?", ()),
    ],
)
def test_whose_words_are_asked_for(text: str, speakers: tuple[str, ...]) -> None:
    assert asked(text).speakers == speakers


def test_a_role_in_which_nobody_spoke_is_none() -> None:
    assert asked("What breed is my dog?", ("caroline",)).speakers == ()


def test_a_name_of_a_speaker_is_no_word_of_the_question() -> None:
    question = asked("What did Caroline paint?")
    assert question.terms == ("paint",)
    assert question.meant.split() == ["What", "did", "paint?"]


def test_a_question_of_nothing_but_a_name_keeps_it() -> None:
    question = asked("Caroline?")
    assert question.terms == ("carolin",)
    assert question.meant == "Caroline?"


def test_a_role_takes_no_word_away() -> None:
    assert asked("my user settings", ("user",)).terms == ("set",)
    assert asked("my settings", ("user",)).meant == "my settings"


def test_a_term_stands_once() -> None:
    assert asked("rust rust memory").terms == ("rust", "memori")


def test_a_question_as_long_as_a_book_is_answered_by_its_beginning() -> None:
    question = asked("coffee " + "word, " * 100_000 + "tea")
    assert question.terms[:2] == ("coffe", "word")
    assert "tea" not in question.terms
