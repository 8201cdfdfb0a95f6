"""What a recall must give: the best answer first, its reasons, and nothing that the asker may not see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lukasa.config import Recalling, Settings, Weights
from lukasa.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lukasa.config import Fusion, Mode
    from lukasa.entries.reading import Narrowing
    from lukasa.handle import Handle
    from lukasa.memory import Store
    from lukasa.recall.answer import Answer
    from lukasa.testing.contract.sight import Reopened
    from lukasa.testing.frozen import FrozenClock

MODES: tuple[Mode, ...] = ("keyword", "vector", "hybrid")
FUSIONS: tuple[Fusion, ...] = ("zscore", "weighted", "rrf")
ODD = (
    'say "cheese"', "AND OR NOT NEAR(a b)", "50%", "snake_case", "c++", "user@example.com", "path/to/file",
    "*", "'; DROP TABLE entries; --", "\U0001f600", "a:b", "(", '"', "-x", "\u0000", "\ud800", "x" * 100_000,
)  # fmt: skip


def texts(answer: Answer) -> list[str]:
    """What was found, best first."""
    return [hit.entry.content for hit in answer]


def filled(handle: Handle, contents: Sequence[str]) -> None:
    """Remembers several texts."""
    for content in contents:
        handle.remember(content)


HOUSE = (
    "The user lives in Madrid.",
    "The user drinks coffee every morning.",
    "We decided to release on Thursdays.",
    "start the server with make run",
    "Go CI runs on every push.",
    "She writes C# and F# at work.",
    "Our AI budget is small.",
    "\u6771\u4eac\u306b\u4f4f\u3093\u3067\u3044\u307e\u3059",
)


class WordContract:
    """By words alone: exact BM25 over one space, the same numbers on every engine."""

    def test_the_scores_are_exact(self, store: Store) -> None:
        ana = store.agent("ana")
        filled(ana, ["rust rust rust memory", "rust memory lane", "unrelated text entirely"])
        for query in ("rust memory", "rust rust memory"):
            answer = ana.recall(query, mode="keyword")
            assert [round(hit.score, 6) for hit in answer] == [1.142682, 0.980102]

    def test_another_agents_entries_change_no_score(self, store: Store) -> None:
        ana = store.agent("ana")
        filled(ana, HOUSE)
        before = [ana.recall("coffee in Madrid", mode=mode) for mode in MODES]
        filled(store.agent("bob"), [f"coffee {number} in Madrid" for number in range(30)])
        assert [ana.recall("coffee in Madrid", mode=mode) for mode in MODES] == before

    @pytest.mark.parametrize(
        ("query", "first"),
        [
            ("where does the user live", 0),
            ("morning coffee", 1),
            ("drink", 1),
            ("Go CI", 4),
            ("C#", 5),
            ("AI", 6),
            ("\u6771\u4eac", 7),
        ],
    )
    def test_natural_questions_find_what_they_name(self, store: Store, query: str, first: int) -> None:
        ana = store.agent("ana")
        filled(ana, HOUSE)
        assert texts(ana.recall(query, mode="keyword"))[0] == HOUSE[first]

    def test_a_part_of_a_word_is_another_word(self, store: Store) -> None:
        ana = store.agent("ana")
        filled(ana, HOUSE)
        assert texts(ana.recall("art", mode="keyword")) == []

    def test_one_matching_word_of_many_is_enough(self, store: Store) -> None:
        ana = store.agent("ana")
        filled(ana, HOUSE)
        assert texts(ana.recall("zebra quantum giraffe violin Thursdays", mode="keyword")) == [HOUSE[2]]

    def test_a_name_is_searched_and_an_alias_is_not(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("deploy", "prod release steps")
        ana.alias("deploy", "ship")
        assert texts(ana.recall("ship", mode="keyword")) == []
        assert texts(ana.recall("deploy", mode="keyword")) == ["prod release steps"]
        assert ana.get("ship").name == "deploy"

    def test_an_entry_with_no_word_is_found_by_its_name(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("smile", ":-)")
        assert texts(ana.recall("smile", mode="keyword")) == [":-)"]


class AnswerContract:
    """Whatever is asked, in whichever mode, an answer has its form."""

    def test_odd_questions_are_no_errors(self, store: Store) -> None:
        ana = store.agent("ana")
        filled(ana, HOUSE)
        for query in ODD:
            for mode in MODES:
                assert len(ana.recall(query, mode=mode, observe=False)) <= 8

    def test_a_blank_question_and_a_limit_of_zero_have_no_answers(self, store: Store) -> None:
        ana = store.agent("ana")
        filled(ana, HOUSE)
        assert [len(ana.recall(query)) for query in ("", "  \n")] == [0, 0]
        assert len(ana.recall("user", limit=0)) == 0

    def test_a_limit_beyond_a_hundred_is_a_hundred_and_says_so(self, store: Store) -> None:
        ana = store.agent("ana")
        filled(ana, [f"note {number}" for number in range(105)])
        answer = ana.recall("note", limit=1_000)
        assert len(answer) == 100
        assert "100" in answer.notes[0]
        with pytest.raises(UsageError, match="limit"):
            ana.recall("note", limit=-1)

    def test_the_score_is_the_sum_of_the_points(self, store: Store) -> None:
        ana = store.agent("ana")
        filled(ana, HOUSE)
        for mode in MODES:
            for fusion in FUSIONS:
                for hit in ana.recall("the user in Madrid", mode=mode, fusion=fusion):
                    assert hit.score == sum(signal.points for signal in hit.signals)
                    assert 0 <= hit.relevance <= 1
                    assert hit.text in hit.entry.content

    def test_the_same_store_gives_the_same_answer(self, store: Store, reopened: Reopened) -> None:
        again = reopened()
        ana = store.agent("ana")
        filled(ana, HOUSE)
        for mode in MODES:
            first = ana.recall("coffee for the user", mode=mode)
            assert ana.recall("coffee for the user", mode=mode) == first
            assert again.agent("ana").recall("coffee for the user", mode=mode) == first

    def test_what_is_forgotten_changes_no_nearness(self, store: Store, reopened: Reopened) -> None:
        ana = store.agent("ana")
        for text in ("Ana: Where is the red house?", "Bob: By the river.", "Ana: And the coffee?"):
            ana.remember(text, session_id="s1")
        near = [ana.remember(f"The red house stands there, {n}.") for n in range(3)]
        ana.recall("the red house")
        for entry in near:
            ana.forget(entry.id)
        here, anew = (
            [(hit.entry.number, hit.signals) for hit in one.agent("ana").recall("the red house")]
            for one in (store, reopened())
        )
        assert here == anew

    def test_nothing_is_left_of_a_time_before_everything(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        then = clock.now()
        clock.forward(days=1)
        ana.remember("Ana: Where is the red house?", session_id="s1")
        for mode in MODES:
            assert ana.recall("the red house", mode=mode, as_of=then).hits == ()

    def test_who_is_forgotten_changes_no_question(self, store: Store, reopened: Reopened) -> None:
        ana = store.agent("ana")
        filled(ana, [*HOUSE, "The flat of Noor is blue.", "Noor is the name of a river."])
        said = ana.remember("Noor: I have moved to a blue flat.")
        assert ana.recall("Which flat has Noor, in May?").hits[0].entry.id == said.id
        ana.forget(said.id)
        here, anew = (
            [
                (hit.entry.number, hit.signals)
                for hit in one.agent("ana").recall("Which flat has Noor, in May?")
            ]
            for one in (store, reopened())
        )
        assert here == anew
        assert "noor" in [word.term for word in ana.why(1, "Which flat has Noor?").words]

    @pytest.mark.parametrize("floor", [-0.1, 1.1, float("nan"), float("inf")])
    def test_a_floor_outside_of_what_can_be_is_refused(self, store: Store, floor: float) -> None:
        ana = store.agent("ana")
        with pytest.raises(UsageError, match="A floor of 0 to 1"):
            ana.recall("coffee", floor=floor)

    @pytest.mark.parametrize("mode", MODES)
    def test_an_empty_store_answers_nothing(self, store: Store, mode: Mode) -> None:
        answer = store.agent("ana").recall("coffee", mode=mode)
        assert (answer.mode, answer.hits, answer.notes) == (mode, (), ())

    def test_nothing_near_is_nothing(self, store: Store) -> None:
        ana = store.agent("ana")
        filled(ana, HOUSE)
        for fusion in FUSIONS:
            assert texts(ana.recall("photosynthesis of algae", fusion=fusion)) == []

    def test_of_equal_answers_the_newer_comes_first(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        for color in ("red", "blue", "green"):
            ana.remember(f"the {color} door")
            clock.forward(seconds=1)
        assert texts(ana.recall("door", mode="keyword")) == [
            "the green door",
            "the blue door",
            "the red door",
        ]

    def test_a_long_entry_is_one_hit_with_the_piece_that_matched(self, store: Store) -> None:
        ana = store.agent("ana")
        filler = "Nothing of note happened on that day. " * 30
        ana.remember(f"{filler} The cellar key hangs behind the clock. {filler}")
        answer = ana.recall("cellar key", mode="keyword")
        assert len(answer) == 1
        assert "cellar key" in answer.hits[0].text
        assert len(answer.hits[0].text) <= 640 < len(answer.hits[0].entry.content)

    def test_identical_texts_are_as_near_as_can_be(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.remember("The cat sat on the mat.")
        answer = ana.recall("The cat sat on the mat.", mode="vector")
        assert round(answer.hits[0].score, 3) == 1.0

    def test_weights_must_make_up_one(self, store: Store) -> None:
        ana = store.agent("ana")
        for semantic, keyword in ((0.7, 0.4), (1.2, -0.2)):
            with pytest.raises(UsageError, match="make up 1"):
                ana.recall("x", weights=Weights(semantic=semantic, keyword=keyword))
        assert len(ana.recall("x", weights=Weights(semantic=0.7, keyword=0.2, graph=0.1))) == 0

    def test_without_a_model_words_answer_and_meaning_is_an_error(self, reopened: Reopened) -> None:
        with reopened(Settings(embedding="none")) as store:
            ana = store.agent("ana")
            filled(ana, HOUSE)
            answer = ana.recall("Madrid")
            assert (answer.mode, texts(answer)) == ("keyword", [HOUSE[0]])
            assert "words" in answer.notes[0]
            with pytest.raises(UsageError, match="model"):
                ana.recall("Madrid", mode="vector")

    def test_a_question_with_a_secret_leaves_no_trace_of_it(self, store: Store) -> None:
        ana = store.agent("ana")
        secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
        entry = ana.remember("The deploy token was rotated.")
        assert len(ana.recall(f"deploy token {secret}")) == 1
        assert ana.forget(entry.id).recalls == 1


class ValidityContract:
    """What is no longer true, or was told to be forgotten, is no answer; what was known then can be asked."""

    def test_expired_superseded_and_forgotten_entries_never_answer(
        self, store: Store, clock: FrozenClock
    ) -> None:
        ana = store.agent("ana")
        old = ana.remember("The office is in Lyon.")
        ana.remember("The office party is tonight.", expires_at="1d")
        gone = ana.remember("The office safe holds the plans.")
        ana.supersede(old.id, ana.remember("The office is in Nantes.").id)
        ana.forget(gone.id)
        clock.forward(days=2)
        for mode in MODES:
            assert texts(ana.recall("office", mode=mode)) == ["The office is in Nantes."]

    def test_what_replaced_a_matching_text_answers_in_its_place(self, store: Store) -> None:
        ana = store.agent("ana")
        filled(ana, HOUSE[1:])
        old = ana.remember("Her home address is Elm Street 5.")
        ana.supersede(old.id, ana.remember("Moved to Oak Lane 9.").id)
        assert texts(ana.recall("home address", limit=1)) == ["Moved to Oak Lane 9."]

    def test_as_of_answers_with_what_was_known_then(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        home = ana.remember("She lives in Madrid.", name="home")
        clock.forward(days=1)
        then = clock.now()
        clock.forward(days=1)
        ana.write("home", "She lives in Berlin.")
        later = ana.remember("She lives near a park.")
        assert texts(ana.recall("She lives", as_of=then)) == ["She lives in Madrid."]
        assert len(ana.recall("Berlin", as_of=then, mode="keyword")) == 0
        assert texts(ana.recall("Berlin", mode="keyword")) == ["She lives in Berlin."]
        assert ana.recall("She lives", as_of=then).hits[0].entry.revision == home.revision
        ana.supersede("home", later.id)
        assert texts(ana.recall("She lives", as_of=then)) == ["She lives in Madrid."]

    def test_filters_let_through_what_was_so_then(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        entry = ana.remember("The release is in May.", kind="decision", tags=["ops"], category="plans")
        other = ana.remember("The release is in doubt.", kind="fact")
        then = clock.now()
        clock.forward(days=1)
        ana.update(entry.id, kind="fact", tags=[], category="other")
        ana.update(other.id, kind="decision", tags=["ops"], category="plans", summary="May, perhaps")
        filters: list[Narrowing] = [
            {"kinds": ["decision"]}, {"tags": ["OPS"]}, {"category": "Plans"}, {"text": "may"},
        ]  # fmt: skip
        for narrowing in filters:
            assert texts(ana.recall("release", as_of=then, **narrowing)) == ["The release is in May."]
        assert texts(ana.recall("release", kinds=["decision"])) == ["The release is in doubt."]
        assert texts(ana.recall("release", as_of=then, until=then)) == []

    def test_what_was_forgotten_was_never_known(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        entry = ana.remember("The password hint is blue.")
        then = clock.now()
        clock.forward(days=1)
        ana.forget(entry.id)
        assert texts(ana.recall("password hint", as_of=then)) == []

    def test_a_change_is_found_at_once_and_its_old_text_no_more(
        self, store: Store, reopened: Reopened
    ) -> None:
        other = reopened().agent("ana")
        ana = store.agent("ana")
        ana.add("pet", "The dog is called Rex.")
        assert texts(other.recall("Rex", mode="keyword")) == ["The dog is called Rex."]
        ana.write("pet", "The dog is called Bello.")
        for handle in (ana, other):
            assert texts(handle.recall("Rex", mode="keyword")) == []
            assert texts(handle.recall("Bello", mode="keyword")) == ["The dog is called Bello."]
        ana.undo("pet")
        assert texts(other.recall("Rex", mode="keyword")) == ["The dog is called Rex."]

    def test_what_a_transaction_takes_back_is_never_found(self, store: Store) -> None:
        ana = store.agent("ana")
        filled(ana, HOUSE)

        def half() -> None:
            with store.transaction():
                ana.remember("A zebra stood there.")
                assert texts(ana.recall("zebra", mode="keyword", observe=False)) == ["A zebra stood there."]
                raise NotFoundError(wanted="the end")

        with pytest.raises(NotFoundError):
            half()
        assert texts(ana.recall("zebra", mode="keyword")) == []


class SettingContract:
    """What recall does when the call does not say, the settings say."""

    def test_the_settings_choose_mode_and_number(self, reopened: Reopened) -> None:
        settings = Settings(recall=Recalling(top_k=2, mode="keyword", observe=False))
        with reopened(settings) as store:
            ana = store.agent("ana")
            filled(ana, [f"user {number}" for number in range(5)])
            answer = ana.recall("user")
            assert (answer.mode, len(answer)) == ("keyword", 2)
            assert [ana.forget(hit.entry.id).recalls for hit in answer] == [0, 0]

    def test_unknown_words_for_a_way_are_refused(self, store: Store) -> None:
        ana = store.agent("ana")
        for asking in ({"mode": "fuzzy"}, {"fusion": "sum"}, {"kinds": ["thought"]}):
            with pytest.raises(UsageError):
                ana.recall("x", **asking)  # type: ignore[arg-type]
