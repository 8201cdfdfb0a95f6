"""Ids: UUIDv7 text in the order in which they were made; hashes that keep their parts apart."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lukasa.ids import digest, is_id, new_id

anything = st.text(st.characters(exclude_categories=()), max_size=20)


def fresh(code: str) -> list[str]:
    """What a process prints that has made no id yet: ids of this one may be ahead of their time."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_an_id_is_a_uuid_of_version_7_that_begins_with_its_millisecond() -> None:
    millis = 1_777_636_800_123
    (text,) = fresh(f"from lukasa.ids import new_id; print(new_id({millis}))")
    made = UUID(text)
    assert (made.version, made.variant, str(made)) == (7, "specified in RFC 4122", text)
    assert made.int >> 80 == millis
    assert is_id(text)


def test_ids_of_two_processes_in_the_same_millisecond_differ() -> None:
    code = "from lukasa.ids import new_id; print(*(new_id(1_777_636_800_123) for _ in range(200)))"
    one, two = fresh(code), fresh(code)
    assert len({*one, *two}) == 400
    assert (one, two) == (sorted(one), sorted(two))


def test_ids_never_go_backwards_when_the_clock_does() -> None:
    code = "from lukasa.ids import new_id; print(*(new_id(now) for now in (500, 500, 400, -7, 0, 500, 501)))"
    made = fresh(code)
    assert made == sorted(set(made))
    times = [UUID(text).int >> 80 for text in made]
    assert times[:-1] == [500] * 6, "while the clock is behind, they stay in the last millisecond"
    assert times[-1] == 501


@given(st.lists(st.integers(-(10**12), 253_402_214_400_000), min_size=2, max_size=20))
def test_later_ids_sort_later_whatever_the_clock_says(moments: list[int]) -> None:
    made = [new_id(now) for now in moments]
    assert made == sorted(set(made))
    assert all(is_id(text) and UUID(text).version == 7 for text in made)


def test_threads_never_get_the_same_id() -> None:
    def make(count: int) -> list[str]:
        return [new_id(7) for _ in range(count)]

    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(make, [2_000] * 4))
    assert len({text for run in runs for text in run}) == 8_000
    assert all(run == sorted(run) for run in runs)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "7", "deploy", "019de36a-2e80-700b-903c-b518f9188edc\n"),
        " 019de36a-2e80-700b-903c-b518f9188edc",
        *("019DE36A-2E80-700B-903C-B518F9188EDC", "019de36a2e80700b903cb518f9188edc"),
        *("{019de36a-2e80-700b-903c-b518f9188edc}", "019de36a-2e80-700b-903c-b518f9188ed"),
        "g19de36a-2e80-700b-903c-b518f9188edc",
    ],
)  # fmt: skip
def test_what_is_written_otherwise_is_no_id(text: str) -> None:
    assert not is_id(text)


@given(st.lists(anything, max_size=4), st.lists(anything, max_size=4))
def test_a_digest_keeps_its_parts_apart(one: list[str], two: list[str]) -> None:
    assert (digest(*one) == digest(*two)) == (one == two)


def test_a_digest_is_the_same_in_every_process_and_release() -> None:
    # It stands in stored rows: were it to change, the same text said again would be a second entry.
    known = "02ce6235dff266f458989b6e689a137b"
    (text,) = fresh("from lukasa.ids import digest; print(digest('fact', '', 'The sky is blue', ''))")
    assert text == digest("fact", "", "The sky is blue", "")
    assert len(text) == 64
    assert text.startswith(known)


def test_moving_a_letter_from_one_part_to_the_next_changes_the_digest() -> None:
    assert digest("ab", "c") != digest("a", "bc") != digest("abc") != digest("abc", "")


def test_a_forked_child_makes_ids_of_its_own() -> None:
    new_id(2 * 10**12)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, new_id(1).encode())
        os._exit(0)
    mine = new_id(1)
    os.waitpid(child, 0)
    theirs = os.read(reading, 100).decode()
    os.close(reading)
    os.close(writing)
    assert is_id(theirs)
    assert mine != theirs
