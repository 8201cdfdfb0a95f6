"""The speed suite measures what it says, and its table and picture show what was measured."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast
from xml.etree import ElementTree as ET

import pytest

from lukasa.bench import cold, filling, speed
from lukasa.bench.corpus import Corpus
from lukasa.bench.stopwatch import Line, Timed, quantile
from lukasa.memory import open as open_store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lukasa.db.database import Json

    class Shown(Protocol):
        """What benchmarks/speed/report.py offers."""

        def table(self, report: Mapping[str, Json]) -> str: ...
        def picture(self, report: Mapping[str, Json]) -> str: ...


REPORT: dict[str, Json] = {
    "cases": ["1,000 in one space", "1,000 tenants x 100"],
    "peers": [{"name": "Lukasa, hybrid", "version": "1"}, {"name": "Slow & sure", "version": "2"}],
    "figures": {
        "Lukasa, hybrid": {
            "1,000 in one space": {"p50": 1.25, "p95": 2.5, "recall@10": None},
            "1,000 tenants x 100": {"p50": 1.5, "p95": 3.0, "recall@10": 1.0},
        },
        "Slow & sure": {
            "1,000 in one space": {"p50": 1250.0, "p95": 1300.0, "recall@10": 0.5},
            "1,000 tenants x 100": {"problem": "not done in 60 s"},
        },
    },
}


@pytest.fixture(scope="module")
def shown() -> Shown:
    path = Path(__file__).parents[2] / "benchmarks" / "speed" / "report.py"
    spec = importlib.util.spec_from_file_location("speed_report", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast("Shown", module)


def test_the_table_has_each_figure_and_says_what_failed(shown: Shown) -> None:
    lines = shown.table(REPORT).splitlines()
    assert lines[0] == "| p50 / p95, ms | 1,000 in one space | 1,000 tenants x 100 |"
    assert lines[2] == "| **Lukasa, hybrid 1** | 1.25 / 2.50 | 1.50 / 3.00 |"
    assert lines[3] == "| Slow & sure 2 | 1,250 / 1,300, recall 0.50 | \N{EN DASH} (not done in 60 s) |"


def test_the_picture_is_well_formed_and_longer_lines_are_slower(shown: Shown) -> None:
    root = ET.fromstring(shown.picture(REPORT))  # noqa: S314 - our own picture
    space = "{http://www.w3.org/2000/svg}"
    said = [node.text for node in root.iter(f"{space}text")]
    assert {"Slow & sure 2", "1.25", "1,250 (finds 50%)", "not done in time", "1000"} <= set(said)
    bars = [node for node in root.iter(f"{space}line") if float(node.get("stroke-width", 0)) > 1]
    lengths = [float(bar.get("x2", 0)) - float(bar.get("x1", 0)) for bar in bars]
    assert len(lengths) == 3
    assert lengths[1] > lengths[0] > 0
    edge = float(root.get("width", 0))
    assert all(0 <= float(node.get("x", 0)) < edge for node in root.iter(f"{space}text"))


def test_a_bar_is_met_by_the_ratio_or_by_the_figure_alone() -> None:
    assert Line(what="a", value=3, unit="ms", other=2, bar=1.5).met is True
    assert Line(what="a", value=3.1, unit="ms", other=2, bar=1.5).met is False
    assert Line(what="a", value=3, unit="ms", bar=2).met is False
    assert Line(what="a", value=3, unit="ms", other=2).met is None


def test_half_of_all_calls_take_no_more_than_the_median() -> None:
    taken = [Timed(wall=number / 1000, cpu=number / 2000) for number in (5, 1, 4, 2, 3)]
    assert quantile(taken, 0.5) == pytest.approx(3)
    assert quantile(taken, 0.95) == pytest.approx(5)
    assert quantile(taken, 0.5, cpu=True) == pytest.approx(1.5)


def test_a_seed_gives_the_same_texts_and_no_two_alike() -> None:
    first, again = list(Corpus(seed=3).texts(200)), list(Corpus(seed=3).texts(200))
    assert first == again
    assert len(set(first)) == 200
    assert Corpus(seed=4).questions(1) != Corpus(seed=3).questions(1)


def test_a_filled_store_is_sound_and_has_what_was_asked_for(tmp_path: Path) -> None:
    seen: list[int] = []
    path = filling.fill(tmp_path / "store.lukasa", spaces=3, entries=7, progress=seen.append)
    with open_store(path) as store:
        assert {summary.agent: summary.entries for summary in store.agents()} == {
            filling.agent(number): 7 for number in range(3)
        }
        assert store.check().problems == ()
    assert seen == [21]
    assert [file.name for file in tmp_path.iterdir()] == ["store.lukasa"]


def test_a_run_of_tiny_sizes_has_every_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "TENANT", 20)
    monkeypatch.setattr(cold, "ROUNDS", 1)
    monkeypatch.setattr(speed, "bandwidth", lambda: 1e10)
    seen: list[tuple[int, int]] = []
    sizes = speed.Sizes(tenants=3, middle=30, large=40, rounds=4)
    report = speed.measure(sizes, progress=lambda done, total: seen.append((done, total)))
    lines = cast("list[dict[str, Json]]", report["lines"])
    assert seen == [(done, 5) for done in range(6)]
    assert all(isinstance(line["value"], float) and line["value"] > 0 for line in lines)
    barred = [str(line["what"]) for line in lines if line["bar"] is not None]
    assert [what.split(",")[0] for what in barred] == [
        "remember with the bundled model",
        "recall p50",
        "most kept in memory under 3 tenants",
        "recall CPU p50",
        "first recall of a new process",
        "vector part",
        "RAM of the index",
    ]
    assert next(line for line in lines if "RAM" in str(line["what"]))["ratio"] > 1  # type: ignore[operator]
