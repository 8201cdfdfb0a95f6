"""What each assistant calls its events, and what it lets a hook answer; nothing else is ever answered.

As documented by Claude Code 2.1, Codex CLI 0.169 (its schemas refuse unknown fields), Cursor 3.20 and Gemini
CLI 0.61. Cursor's documents name `additional_context` for its session start alone; its program takes it
before a prompt as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from lukasa.db.database import Json

Assistant = Literal["claude", "codex", "cursor", "gemini"]
Event = Literal["session-start", "prompt-submit", "stop", "pre-compact", "session-end"]
ASSISTANTS: tuple[Assistant, ...] = get_args(Assistant)
EVENTS: tuple[Event, ...] = get_args(Event)

# Each assistant's own name for each event that it has and that is of use.
NATIVE: dict[Assistant, dict[Event, str]] = {
    "claude": {
        "session-start": "SessionStart",
        "prompt-submit": "UserPromptSubmit",
        "stop": "Stop",
        "pre-compact": "PreCompact",
        "session-end": "SessionEnd",
    },
    "codex": {
        "session-start": "SessionStart",
        "prompt-submit": "UserPromptSubmit",
        "stop": "Stop",
        "pre-compact": "PreCompact",
    },
    "cursor": {
        "session-start": "sessionStart",
        "prompt-submit": "beforeSubmitPrompt",
        "stop": "stop",
        "pre-compact": "preCompact",
        "session-end": "sessionEnd",
    },
    "gemini": {
        "session-start": "SessionStart",
        "prompt-submit": "BeforeAgent",
        "stop": "AfterAgent",
    },
}


def answer(assistant: Assistant, event: Event, text: str) -> Json:
    """What the hook prints so that the model reads `text`; None where there is nothing to say."""
    if not text or event not in NATIVE[assistant]:
        return None
    if assistant == "cursor":
        goes_on: dict[str, Json] = {"continue": True} if event == "prompt-submit" else {}
        return {**goes_on, "additional_context": text}
    return {"hookSpecificOutput": {"hookEventName": NATIVE[assistant][event], "additionalContext": text}}
