"""Four writers at once, as threads of one process and as processes: nothing lost, doubled or refused.

This file is also what the processes run: `python test_contention.py LOCATION JOB WORKER`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING, Literal

import pytest

import lukasa
from lukasa.errors import ConflictError, DuplicateError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.slow

WORKERS, WRITES, RACES = 4, 200, 40
SHARED = "project/apollo"
Runner = Literal["threads", "processes"]
Report = list[list[str | int]]


def handle(store: lukasa.Store, worker: int) -> lukasa.Handle:
    return store.agent(f"worker-{worker}", shares=[SHARED])


def write_own(ana: lukasa.Handle, worker: int) -> Report:
    """Entries that nobody else writes, in the space that all of them write to."""
    made = [ana.remember(f"{worker} wrote {n}", scope=SHARED, tags=[f"t{n}"]) for n in range(WRITES)]
    return [[entry.number, entry.id, entry.content] for entry in made]


def write_apart(ana: lukasa.Handle, worker: int) -> Report:
    """Entries of one's own space."""
    made = [ana.remember(f"{worker} wrote {n}") for n in range(WRITES)]
    return [[entry.number, entry.id, entry.content] for entry in made]


def say_the_same(ana: lukasa.Handle, worker: int) -> Report:
    """What all the others say too."""
    said = [ana.remember(f"Line {n}", scope=SHARED, tags=[f"by {worker}"]) for n in range(RACES)]
    return [[entry.number, entry.id, entry.content] for entry in said]


def add_the_same_names(ana: lukasa.Handle, worker: int) -> Report:
    """The names that all the others add too; the report is of those that were won."""
    won: Report = []
    for n in range(RACES):
        try:
            entry = ana.add(f"name {n}", f"{worker} was first", scope=SHARED)
        except DuplicateError:
            continue
        won.append([entry.number, entry.id, f"name {n}"])
    return won


def count_up(ana: lukasa.Handle, _: int) -> Report:
    """One number, read and raised by compare-and-swap until it has risen as often as was wanted."""
    done: Report = []
    while len(done) < RACES:
        entry = ana.get("counter")
        value = int(entry.content) + 1
        try:
            after = ana.write("counter", str(value), revision=entry.revision)
        except ConflictError:
            continue
        done.append([after.revision, after.id, value])
    return done


def add_aliases(ana: lukasa.Handle, worker: int) -> Report:
    """More names for the one entry."""
    names = [f"{worker} calls it {n}" for n in range(8)]
    return [[ana.alias("counter", name).revision, "", name] for name in names]


def forget_the_same(ana: lukasa.Handle, _: int) -> Report:
    """Entries that all the others forget too; the report is of those that were there."""
    gone: Report = []
    for n in range(RACES):
        try:
            gone.append([ana.forget(f"old {n}").entries, "", f"old {n}"])
        except NotFoundError:
            continue
    return gone


def change_two_in_one(ana: lukasa.Handle, worker: int) -> Report:
    """Its own space, the shared one, and a link over both, again and again."""
    made: Report = []
    for n in range(RACES):
        mine = ana.remember(f"{worker}'s own {n}")
        ana.link(mine.id, "about", "counter")
        ana.supersede(mine.id, "counter")
        made.append([mine.number, mine.id, mine.content])
    return made


Job = Literal["own", "apart", "same", "names", "count", "aliases", "forget", "two"]
JOBS: dict[Job, Callable[[lukasa.Handle, int], Report]] = {
    "own": write_own,
    "apart": write_apart,
    "same": say_the_same,
    "names": add_the_same_names,
    "count": count_up,
    "aliases": add_aliases,
    "forget": forget_the_same,
    "two": change_two_in_one,
}


def main(location: str, job: Job, worker: int) -> None:
    """One process's part: ready, wait for the word, do the job, report."""
    with lukasa.open(location) as store:
        ana = handle(store, worker)
        assert ana.find("nothing") is None  # whatever is read first is read before the word
        print("ready", flush=True)  # noqa: T201 - the parent reads it
        sys.stdin.readline()
        print(json.dumps(JOBS[job](ana, worker)))  # noqa: T201 - the parent reads it


def by_processes(location: str, job: Job) -> list[Report]:
    """The reports of four processes that began together; each ended well and said nothing else."""
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "error", __file__, location, job, str(worker)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for worker in range(WORKERS)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate(timeout=120) for process in started]
    assert [(process.returncode, err) for process, (_, err) in zip(started, said, strict=True)] == [
        (0, "")
    ] * WORKERS
    return [json.loads(out) for out, _ in said]


def by_threads(location: str, job: Job) -> list[Report]:
    """The reports of four threads that share one store and began together."""
    together = Barrier(WORKERS)

    def work(worker: int) -> Report:
        together.wait()
        return JOBS[job](handle(store, worker), worker)

    with lukasa.open(location) as store, ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(work, range(WORKERS)))


@pytest.fixture(params=["threads", "processes"])
def run(request: pytest.FixtureRequest, location: str) -> Callable[[Job], list[Report]]:
    """Runs a job four times at once, in the one way and in the other."""
    chosen = {"threads": by_threads, "processes": by_processes}[request.param]
    return lambda job: chosen(location, job)


@pytest.fixture
def after(location: str) -> Iterator[lukasa.Store]:
    """The store, opened when the workers are done; it is sound in the end."""
    with lukasa.open(location) as store:
        yield store
        assert store.check().problems == ()


def entries_of(ana: lukasa.Handle) -> list[lukasa.Entry]:
    return list(ana.list(limit=1_000, hidden=True).entries)


@pytest.mark.parametrize("job", ["own", "apart"])
def test_every_write_is_there_once(
    run: Callable[[Job], list[Report]], after: lukasa.Store, job: Literal["own", "apart"]
) -> None:
    reports = run(job)  # the store is not there yet: its birth is raced for as well
    made = [tuple(line) for report in reports for line in report]
    assert [len(report) for report in reports] == [WRITES] * WORKERS
    found = {
        (entry.number, entry.id, entry.content): entry.seen
        for worker in range(WORKERS)
        for entry in entries_of(handle(after, worker))
    }
    assert found == dict.fromkeys(made, 1)
    assert len({number for number, _, _ in made}) == len({id_ for _, id_, _ in made}) == WORKERS * WRITES


def test_numbers_and_ids_only_rise_for_each_writer(
    run: Callable[[Job], list[Report]], after: lukasa.Store
) -> None:
    for report in run("own"):
        assert [line[0] for line in report] == sorted({line[0] for line in report}, key=int)
        assert [line[1] for line in report] == sorted({line[1] for line in report}, key=str)
    newest = max(entry.number for entry in entries_of(handle(after, 0)))
    assert after.agent("late").remember("said last").number > newest


def test_the_same_text_said_at_once_is_one_entry(
    run: Callable[[Job], list[Report]], after: lukasa.Store
) -> None:
    reports = run("same")
    assert all(report == reports[0] for report in reports), "each was given the same entries"
    everyone = {f"by {worker}" for worker in range(WORKERS)}
    found = entries_of(handle(after, 0))
    assert [(entry.seen, set(entry.tags)) for entry in found] == [(WORKERS, everyone)] * RACES
    assert {entry.content for entry in found} == {f"Line {n}" for n in range(RACES)}


def test_of_those_that_add_the_same_name_exactly_one_wins(
    run: Callable[[Job], list[Report]], after: lukasa.Store
) -> None:
    reports = run("names")
    winners = {line[2]: worker for worker, report in enumerate(reports) for line in report}
    assert sum(map(len, reports)) == len(winners) == RACES
    for name, worker in winners.items():
        assert handle(after, 0).get(str(name)).content == f"{worker} was first"
    assert len(entries_of(handle(after, 0))) == RACES


def test_no_step_of_a_counter_is_lost(
    run: Callable[[Job], list[Report]], after: lukasa.Store, location: str
) -> None:
    with lukasa.open(location) as store:
        handle(store, 0).add("counter", "0", scope=SHARED, kind="note")
    values = sorted(int(line[2]) for report in run("count") for line in report)
    assert values == list(range(1, WORKERS * RACES + 1))
    past = handle(after, 0).history("counter")
    assert [change.revision for change in past] == list(range(1, WORKERS * RACES + 2))
    assert handle(after, 0).get("counter").content == str(WORKERS * RACES)


def test_aliases_added_at_once_are_all_kept(
    run: Callable[[Job], list[Report]], after: lukasa.Store, location: str
) -> None:
    with lukasa.open(location) as store:
        handle(store, 0).add("counter", "0", scope=SHARED)
    wanted = {str(line[2]) for report in run("aliases") for line in report}
    ana = handle(after, 0)
    assert set(ana.get("counter").aliases) == wanted
    assert len(wanted) == WORKERS * 8
    assert {ana.get(name).name for name in wanted} == {"counter"}


def test_what_is_forgotten_at_once_goes_once(
    run: Callable[[Job], list[Report]], after: lukasa.Store, location: str
) -> None:
    with lukasa.open(location) as store:
        for n in range(RACES):
            handle(store, 0).add(f"old {n}", f"Text {n}", scope=SHARED)
        kept = handle(store, 0).remember("kept", scope=SHARED)
    gone = [line[2] for report in run("forget") for line in report]
    assert sorted(map(str, gone)) == sorted(f"old {n}" for n in range(RACES))
    assert entries_of(handle(after, 1)) == [kept]


def test_writers_over_two_spaces_never_wait_for_each_other_in_a_circle(
    run: Callable[[Job], list[Report]], after: lukasa.Store, location: str
) -> None:
    with lukasa.open(location) as store:
        counter = handle(store, 0).add("counter", "0", scope=SHARED)
    reports = run("two")
    assert [len(report) for report in reports] == [RACES] * WORKERS
    for worker in range(WORKERS):
        ana = handle(after, worker)
        assert {entry.superseded_by for entry in entries_of(ana)} == {None, counter.id}
        assert len(ana.links("counter")) == 2 * RACES


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))  # type: ignore[arg-type]
