"""A hook never fails and is never slow: whatever it is given, and whatever has happened to the store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lukasa
from lukasa.hooks.contracts import ASSISTANTS, EVENTS

if TYPE_CHECKING:
    from conftest import Hook
    from lukasa.db.database import Json

ODD = [
    b"",
    b"\0",
    b"not json",
    b"[]",
    b'"text"',
    b"null",
    b"1e999",
    b"{",
    b"\xff\xfe\x00",
    b"[" * 200_000,
    b'{"prompt": "' + b"x" * 17_000_000 + b'"}',
    b'{"session_id": 7, "transcript_path": ["a"], "cwd": {"b": 1}, "prompt": false}',
    b'{"session_id": "s", "transcript_path": "a\\u0000b", "cwd": "c\\u0000d", "prompt": "\\ud800"}',
    b'{"session_id": "s", "transcript_path": "/", "cwd": "/nowhere", "workspace_roots": [[]]}',
    b'{"session_id": "s", "transcript_path": "/dev/null", "prompt": "x"}',
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(
    [
        "session_id",
        "conversation_id",
        "transcript_path",
        "cwd",
        "workspace_roots",
        "prompt",
        "prompt_response",
    ]
)


@pytest.mark.parametrize("stdin", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize(
    "event", [event if event == "stop" else pytest.param(event, marks=pytest.mark.slow) for event in EVENTS]
)
def test_any_payload_ends_well_and_in_silence(hook: Hook, event: str, stdin: bytes) -> None:
    said = hook.raw(stdin, event, "--agent", "claude")
    assert (said.code, said.out, said.err) == (0, "", "")


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    payload=st.dictionaries(NAMES, JSON, max_size=5) | JSON,
    event=st.sampled_from(EVENTS),
    assistant=st.sampled_from(ASSISTANTS),
)
def test_payloads_of_any_shape_end_well(hook: Hook, payload: Json, event: str, assistant: str) -> None:
    said = hook.raw(json.dumps(payload).encode(), event, "--agent", assistant)
    assert said.code == 0
    assert said.err == ""
    assert said.out == "" or isinstance(json.loads(said.out), dict)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["stop"],
        ["stop", "--agent"],
        ["stop", "--agent", "nobody"],
        ["no-such-event", "--agent", "claude"],
        ["stop", "--agent", "claude", "--no-such-option"],
        ["stop", "--agent", "claude", "--memory-agent", "a b"],
        ["session-start", "--agent", "claude", "--share", "nonsense"],
        ["session-start", "--agent", "claude", "--store", "mysql://x/y"],
        ["session-start", "--agent", "claude", "--store", "postgresql://127.0.0.1:1/nothing"],
    ],
)
def test_a_wrong_call_does_not_block_the_conversation(hook: Hook, arguments: list[str]) -> None:
    said = hook.raw(b'{"session_id": "s1", "last_assistant_message": "x"}', *arguments)
    assert (said.code, said.out, said.err) == (0, "", "")
    assert "Error" in hook.log
    assert len(hook.log.splitlines()) == 1


def test_a_broken_or_foreign_store_does_not_block_the_conversation(hook: Hook) -> None:
    hook.store.write_bytes(b"no store of ours" * 500)
    for event in EVENTS:
        said = hook(event, "claude", session_id="s1", prompt="x", last_assistant_message="y")
        assert said.out == ""
    assert len(hook.log.splitlines()) == len(EVENTS)
    hook.store.unlink()


def test_a_folder_that_cannot_be_written_does_not_block_the_conversation(hook: Hook) -> None:
    nowhere = hook.home / "file"
    nowhere.write_text("not a folder")
    hook.environment |= {"LUKASA_STORE": str(nowhere / "memory.lukasa"), "XDG_STATE_HOME": str(nowhere)}
    said = hook("stop", "claude", session_id="s1", last_assistant_message="x")
    assert (said.out, said.err) == ("", "")


def test_a_hook_whose_time_is_over_says_nothing_and_the_store_is_whole(hook: Hook) -> None:
    with lukasa.open(hook.store) as store:
        store.agent("main").remember("The first.")
    connection = apsw.Connection(str(hook.store))
    connection.execute("BEGIN IMMEDIATE")
    try:
        start = time.monotonic()
        said = hook("stop", "claude", "--seconds", "0.5", session_id="s1", last_assistant_message="Late.")
        took = time.monotonic() - start
    finally:
        connection.execute("ROLLBACK")
        connection.close()
    assert (said.out, said.err) == ("", "")
    assert "gave up after 0.5 s" in hook.log
    assert took < 15
    assert hook.kept() == []


def test_an_assistant_that_never_closes_the_input_is_not_waited_for(hook: Hook) -> None:
    reader, writer = os.pipe()
    try:
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "lukasa",
                "hook",
                "prompt-submit",
                "--agent",
                "claude",
                "--seconds",
                "0.5",
            ],
            stdin=reader,
            capture_output=True,
            check=False,
            env=hook.environment,
            timeout=60,
        )
    finally:
        os.close(reader)
        os.close(writer)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "gave up" in hook.log


def test_closed_streams_are_no_reason_to_fail(hook: Hook) -> None:
    with lukasa.open(hook.store) as store:
        store.agent("main").remember("Something to say.")
    command = f"{sys.executable} -m lukasa hook session-start --agent claude"
    for around in (f"{command} <&-", f"echo '{{}}' | {command} >&-", f"echo '{{}}' | {command} 2>&-"):
        done = subprocess.run(["sh", "-c", around], capture_output=True, check=False, env=hook.environment)
        assert done.returncode == 0, around
    gone = subprocess.run(
        ["bash", "-c", f"echo '{{}}' | {command} | true; exit ${{PIPESTATUS[1]}}"],
        capture_output=True,
        check=False,
        env=hook.environment,
    )
    assert gone.returncode == 0


def test_the_log_stays_small_and_private(hook: Hook) -> None:
    hook.raw(b"", "stop", "--agent", "claude")
    path = hook.home / "state" / "lukasa" / "hooks.log"
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("x" * 300_000)
    hook.raw(b"", "stop", "--agent", "claude")
    assert len(hook.log) < 1_000
    assert (path.parent / "hooks.log.old").stat().st_size == 300_000


def test_what_needs_no_numbers_loads_none(hook: Hook) -> None:
    with lukasa.open(hook.store) as store:
        store.agent("main").remember("Known.")
    hook.write({"role": "user", "message": {"content": "Said."}})
    hook.save("cursor")
    code = (
        "import sys; from lukasa.cli import main; code = main(sys.argv[1:]);"
        "heavy = {'numpy', 'rich', 'asyncio', 'sqlite3', 'psycopg'} & set(sys.modules);"
        "print(sorted(heavy), file=sys.stderr)"
    )
    payload = json.dumps({"session_id": "s1", "transcript_path": str(hook.transcript)}).encode()
    for event in ("session-start", "stop"):
        done = subprocess.run(
            [sys.executable, "-c", code, "hook", event, "--agent", "cursor"],
            input=payload,
            capture_output=True,
            check=True,
            env=hook.environment,
        )
        assert done.stderr == b"[]\n"


def test_a_person_who_calls_it_is_told_how_it_is_called(hook: Hook) -> None:
    import pty  # noqa: PLC0415 - only here

    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "lukasa", "hook", "stop", "--agent", "claude"],
        stdin=theirs,
        capture_output=True,
        text=True,
        check=False,
        env=hook.environment,
    )
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 2
    assert "lukasa install" in done.stderr
