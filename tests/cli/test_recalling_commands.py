"""`lukasa recall`, `why`, `context` and `bench`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Cli


def bad(cli: Cli, *arguments: str) -> str:
    """What is said to a call that is wrong."""
    answer = cli(*arguments)
    assert (answer.code, answer.out) == (2, "")
    return answer.err


@pytest.fixture
def house(cli: Cli) -> Cli:
    cli.ok("remember", "The user lives in Madrid.", "--name", "home")
    cli.ok("remember", "She likes tea in the afternoon.")
    cli.ok("remember", "We decided to release on Thursdays.", "--tag", "ops")
    return cli


def test_the_best_answer_comes_first(house: Cli) -> None:
    said = house.ok("recall", "where does she live")
    assert said.lines[0].split("\t")[0] == "1"
    assert said.lines[0].endswith("The user lives in Madrid.")


def test_explain_shows_each_reason_with_its_points(house: Cli) -> None:
    said = house.ok("recall", "where does the user live", "--explain", "--limit", "1")
    assert said.lines[0] == "1. #1 The user lives in Madrid."
    assert {"words", "meaning", "recency"} <= {line.split("\t")[0].strip() for line in said.lines}


def test_the_json_of_a_recall_is_whole(house: Cli) -> None:
    found = json.loads(house.ok("recall", "release", "--json", "--tag", "ops").out)
    hit = found["hits"][0]
    assert (found["mode"], hit["entry"]["content"]) == ("hybrid", "We decided to release on Thursdays.")
    assert hit["score"] == pytest.approx(sum(signal["points"] for signal in hit["signals"]))
    assert len(found["hits"]) == 1


def test_filters_mode_and_weights(house: Cli) -> None:
    words = house.ok("recall", "tea", "--mode", "keyword", "--kind", "preference")
    assert [line.split("\t")[0] for line in words.lines] == ["2"]
    house.ok("recall", "tea", "--weights", "0.6,0.3,0.1", "--fusion", "weighted")
    assert "make up 1" in bad(house, "recall", "tea", "--weights", "1,1,1")
    assert "Three weights" in bad(house, "recall", "tea", "--weights", "much")
    assert "Three weights" in bad(house, "recall", "tea", "--weights", "0.6,0.3,0.1,0.9")
    assert "A floor of 0 to 1" in bad(house, "recall", "tea", "--floor", "nan")
    assert "hybrid" in bad(house, "recall", "tea", "--mode", "fuzzy")


def test_nothing_found_is_said_beside_the_answer(cli: Cli) -> None:
    said = cli.ok("recall", "anything")
    assert said.out == ""
    assert "Nothing found for agent main" in said.err


def test_no_observe_leaves_no_trace(house: Cli) -> None:
    house.ok("recall", "Madrid", "--no-observe")
    house.ok("context", "where does the user live?")
    assert json.loads(house.ok("forget", "home", "--json").out)["recalls"] == 1


def test_why_says_what_keeps_an_entry_out(house: Cli) -> None:
    assert "Found at place 1" in house.ok("why", "home", "where does the user live").lines[0]
    house.ok("update", "home", "--expires", "2020-01-01T00:00:00Z")
    told = json.loads(house.ok("why", "home", "where does the user live", "--json").out)
    assert (told["found"], told["place"]) == (False, None)
    assert told["reasons"][0].startswith("It expired")
    assert [word["term"] for word in told["words"]] == ["user", "live"]


def test_context_is_a_block_or_nothing(house: Cli) -> None:
    block = house.ok("context", "where does the user live?").lines
    assert (block[0], block[-1]) == ("<memories>", "</memories>")
    assert house.ok("context", "photosynthesis of algae").out == ""


def test_bench_measures_a_file(cli: Cli, tmp_path: Path) -> None:
    said = [
        {"dia_id": "D1:1", "speaker": "Ana", "text": "I adopted a puppy called Rex."},
        {"dia_id": "D1:2", "speaker": "Ben", "text": "My brother paints boats."},
    ]
    asked = [{"question": "What is the puppy called?", "evidence": ["D1:1"], "category": 4}]
    talk = {"session_1": said, "session_1_date_time": "1:00 pm on 8 May, 2023"}
    path = tmp_path / "talks.json"
    path.write_text(json.dumps([{"sample_id": "t", "conversation": talk, "qa": asked}]), encoding="utf-8")
    report = json.loads(cli.ok("bench", "recall", str(path), "--json").out)["files"][0]
    assert (report["questions"], report["turn R@5"], report["MRR"]) == (1, 1.0, 1.0)
    shown = cli.ok("bench", "recall", str(path), "--embedder", "none").lines
    assert shown[0] == "talks (locomo, 1 talks)"
    assert not cli.exists()


def test_bench_speed_takes_no_file(cli: Cli) -> None:
    assert "takes no files" in bad(cli, "bench", "speed", "x.json")


def test_bench_refuses_what_it_cannot_read(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text("[{}]", encoding="utf-8")
    assert "neither" in bad(cli, "bench", "recall", str(path))
    assert "No file" in bad(cli, "bench", "recall")
