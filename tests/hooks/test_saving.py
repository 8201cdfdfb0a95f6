"""What was said is kept: each turn once, in the conversation's own space, from any assistant's transcript."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from lukasa.clock import parse_time
from lukasa.hooks.transcripts import turns_after

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Hook
    from lukasa.db.database import Json

CLAUDE: list[Json] = [
    {"type": "summary", "summary": "Earlier", "leafUuid": "x"},
    {
        "type": "user",
        "message": {"role": "user", "content": "Where is the checklist?<system-reminder>x</system-reminder>"},
        "timestamp": "2026-05-01T10:00:00Z",
    },
    {"type": "user", "isMeta": True, "message": {"role": "user", "content": "Caveat: not said"}},
    {"type": "user", "isSidechain": True, "message": {"role": "user", "content": "to a helper"}},
    {"type": "user", "message": {"role": "user", "content": "<command-name>/clear</command-name>"}},
    {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "In docs/release.md."},
                {"type": "tool_use", "name": "Read", "input": {}},
            ],
        },
        "timestamp": "2026-05-01T10:00:05Z",
    },
    {
        "type": "user",
        "message": {"role": "user", "content": [{"type": "tool_result", "content": "file text"}]},
    },
]
CODEX: list[Json] = [
    {"timestamp": "2026-05-01T10:00:00Z", "type": "session_meta", "payload": {"id": "s1", "cwd": "/"}},
    {
        "timestamp": "2026-05-01T10:00:00Z",
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "<environment_context>x</environment_context>"}],
        },
    },
    {
        "timestamp": "2026-05-01T10:00:00Z",
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "developer",
            "content": [{"type": "input_text", "text": "no"}],
        },
    },
    {
        "timestamp": "2026-05-01T10:00:00Z",
        "type": "event_msg",
        "payload": {"type": "user_message", "message": "Where is the checklist?"},
    },
    {
        "timestamp": "2026-05-01T10:00:00Z",
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "Where is the checklist?"}],
        },
    },
    {
        "timestamp": "2026-05-01T10:00:04Z",
        "type": "event_msg",
        "payload": {"type": "agent_reasoning", "text": "hm"},
    },
    {
        "timestamp": "2026-05-01T10:00:05Z",
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "In docs/release.md."}],
        },
    },
    {"timestamp": "2026-05-01T10:00:06Z", "type": "event_msg", "payload": {"type": "token_count"}},
]
CURSOR: list[Json] = [
    {
        "role": "user",
        "message": {
            "content": [
                {
                    "type": "text",
                    "text": "<timestamp>x</timestamp>\n<user_query>\nWhere is the checklist?\n</user_query>",
                }
            ]
        },
    },
    {
        "role": "assistant",
        "message": {
            "content": [
                {"type": "text", "text": "In docs/release.md.\n\n[REDACTED]"},
                {"type": "tool_use", "name": "Read", "input": {}},
            ]
        },
    },
    {"type": "turn_ended", "status": "success"},
]
SAID = ["User: Where is the checklist?", "Assistant: In docs/release.md."]
TRANSCRIPTS = {"claude": CLAUDE, "codex": CODEX, "cursor": CURSOR}


def turn(number: int) -> Json:
    """A line of a transcript."""
    return {"role": "user", "message": {"content": f"Turn number {number}."}}


@pytest.mark.parametrize("assistant", TRANSCRIPTS)
def test_a_transcript_is_kept_word_for_word_and_each_turn_once(hook: Hook, assistant: str) -> None:
    hook.write(*TRANSCRIPTS[assistant])
    for event in ("stop", "pre-compact", "session-end", "stop"):
        hook.save(assistant, event)
    assert sorted(hook.contents()) == sorted(SAID)
    for entry in hook.kept():
        assert entry.kind == "note"
        assert entry.seen == 1
        assert entry.session_id == "s1"
        assert entry.source_type == assistant
        assert entry.expires_at is None
    assert hook.log == ""


def test_turns_stand_at_the_time_at_which_they_were_said(hook: Hook) -> None:
    hook.write(*CLAUDE)
    hook.save()
    at = [entry.created_at for entry in hook.kept()]
    assert at == [parse_time(f"2026-05-01T10:00:0{second}Z", now=0) for second in (0, 5)]


def test_a_later_call_keeps_what_is_new(hook: Hook) -> None:
    hook.write(*CLAUDE)
    hook.save()
    before = hook.kept()
    hook.write({"type": "user", "message": {"role": "user", "content": "And the other one?"}})
    hook.save()
    after = hook.kept()
    assert [entry.content for entry in after] == [*SAID, "User: And the other one?"]
    assert [entry.revision for entry in after[:2]] == [entry.revision for entry in before]


def test_the_last_answer_is_kept_before_the_transcript_has_it_and_not_twice(hook: Hook) -> None:
    hook.write(*CLAUDE[:3])
    hook.save(last_assistant_message="In docs/release.md.")
    assert sorted(hook.contents()) == sorted(SAID)
    hook.write(*CLAUDE[3:])
    hook.save(last_assistant_message="In docs/release.md.")
    assert sorted(hook.contents()) == sorted(SAID)
    assert {entry.seen for entry in hook.kept()} == {1}


@pytest.mark.parametrize("transcript", ["~nobody-of-this-name/t.jsonl", "a" * 5_000, "/nowhere/t", "/"])
def test_a_transcript_that_cannot_be_found_costs_neither_the_answer_nor_the_recall(
    hook: Hook, transcript: str
) -> None:
    told: dict[str, Json] = {"transcript_path": transcript, "session_id": "s1"}
    hook("stop", "claude", **told, last_assistant_message="The release is on Friday.")
    assert hook.contents() == ["Assistant: The release is on Friday."]
    said = hook("prompt-submit", "claude", **told | {"session_id": "s2"}, prompt="when is the release?")
    assert "on Friday" in said.out
    assert hook.log == ""


def test_gemini_says_both_sides_of_a_turn_itself(hook: Hook) -> None:
    for _ in range(2):
        hook.save("gemini", prompt="Where is the checklist?", prompt_response="In docs/release.md.")
    assert sorted(hook.contents()) == sorted(SAID)


def test_a_line_that_is_being_written_waits_for_the_next_time(hook: Hook) -> None:
    line = json.dumps(CLAUDE[1])
    hook.transcript.write_text(line[:40], encoding="utf-8")
    hook.save()
    assert hook.contents() == []
    hook.transcript.write_text(f"{line}\n", encoding="utf-8")
    hook.save()
    assert hook.contents() == SAID[:1]


def test_a_transcript_that_began_anew_is_read_from_its_beginning(hook: Hook) -> None:
    hook.write(*CLAUDE)
    hook.save()
    hook.transcript.unlink()
    hook.write({"type": "user", "message": {"role": "user", "content": "Anew."}})
    hook.save()
    assert sorted(hook.contents()) == sorted([*SAID, "User: Anew."])


def test_lines_that_nobody_understands_are_passed_over(hook: Hook) -> None:
    hook.transcript.write_bytes(
        b'not json\n[1, 2]\n\n\xff\xfe\n{"message": {"role": 7, "content": {"a": 1}}}\n%b\n'
        % (b"[" * 100_000)
    )
    hook.write({"role": "user", "message": {"content": [None, 3, {"type": "text", "text": 4}]}}, *CLAUDE)
    hook.save()
    assert hook.contents() == SAID
    assert hook.log == ""


def test_a_secret_is_left_out_and_nothing_else_with_it(hook: Hook) -> None:
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    hook.write(
        {"type": "user", "message": {"role": "user", "content": f"My token is {secret}."}},
        {"type": "assistant", "message": {"role": "assistant", "content": "I will not repeat it."}},
    )
    hook.save()
    assert hook.contents() == ["Assistant: I will not repeat it."]
    assert secret.encode() not in hook.store.read_bytes()
    assert secret not in hook.log
    assert "what looks like a secret" in hook.log


def test_odd_texts_are_kept_as_far_as_they_can_be(hook: Hook) -> None:
    hook.write(
        {"role": "user", "message": {"content": "NUL \0 and half \ud800 of a pair"}},
        {"role": "user", "message": {"content": "long " * 40_000}},
    )
    hook.save("cursor")
    first, second = hook.contents()
    assert first == "User: NUL   and half ? of a pair"
    assert len(second) <= 100_000
    assert second.startswith("User: long long")


def test_a_long_conversation_is_kept_whole(hook: Hook) -> None:
    hook.write(*(turn(n) for n in range(120)))
    hook.save("cursor")
    assert len(hook.contents()) == 120
    hook.save("cursor")
    assert len(hook.contents()) == 120


def test_hooks_that_run_at_once_keep_each_turn_once(hook: Hook) -> None:
    hook.write(*(turn(n) for n in range(20)))
    payload = json.dumps({"session_id": "s1", "transcript_path": str(hook.transcript)}).encode()
    command = [sys.executable, "-m", "lukasa", "hook"]
    running = [
        subprocess.Popen(
            [*command, event, "--agent", "cursor"], stdin=subprocess.PIPE, env=hook.environment, cwd=hook.home
        )
        for event in ("stop", "session-end", "pre-compact")
    ]
    for process in running:
        process.communicate(payload, timeout=60)
    assert len(hook.contents()) == 20
    assert {entry.seen for entry in hook.kept()} == {1}


def test_without_a_session_nothing_is_kept_and_the_log_says_so(hook: Hook) -> None:
    said = hook("stop", "claude", last_assistant_message="Lost.")
    assert said.out == ""
    assert not hook.store.exists()
    assert "names no session" in hook.log


def test_a_session_id_of_any_letters_names_a_space(hook: Hook) -> None:
    hook("stop", "claude", session_id="a:b/c d\n" * 40, last_assistant_message="Kept.")
    [entry] = hook.kept(session=("a-b-c-d-" * 8)[:64])
    assert entry.content == "Assistant: Kept."


def test_reading_goes_on_after_a_place(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    lines = [json.dumps({"role": "user", "message": {"content": f"{n}"}}) for n in range(3)]
    path.write_text("\n".join(lines) + "\n")
    first, second, third = turns_after(path, -1)
    assert [turn.text for turn in (first, second, third)] == ["0", "1", "2"]
    assert list(turns_after(path, second.place)) == [third]
    assert list(turns_after(path, third.place)) == []
