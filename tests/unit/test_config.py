"""Settings are frozen; the environment is read in one place, and an empty variable is none."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from lukasa import config, secrets
from lukasa.config import Place, Retention, Settings, default_store, place, settings_from


def test_defaults_are_those_that_the_documents_promise() -> None:
    settings = Settings()
    assert (settings.secrets, settings.max_memories) == ("block", None)
    spans = settings.retention
    assert (spans.episodic_days, spans.bulletin_days, spans.completed_days) == (90, 180, 30)


def test_a_group_may_be_given_in_part() -> None:
    assert Retention(episodic_days=7) == Retention(episodic_days=7, bulletin_days=180, completed_days=30)
    assert Settings(retention=Retention(completed_days=1)).secrets == "block"


@pytest.mark.parametrize("frozen", [Settings(), Retention(), Place(store="s", agent="a")])
def test_settings_cannot_be_changed_or_given_by_position(frozen: Settings | Retention | Place) -> None:
    first = dataclasses.fields(frozen)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(frozen, first, "other")
    with pytest.raises(TypeError):
        type(frozen)("other")  # type: ignore[call-arg]


def test_two_settings_never_share_what_one_of_them_holds() -> None:
    assert Settings() == Settings()
    assert hash(Settings()) == hash(Settings())


def test_the_secret_policies_are_the_same_everywhere() -> None:
    assert get_args(config.SecretPolicy) == get_args(secrets.SecretPolicy) == ("block", "redact", "warn")


@pytest.mark.parametrize(
    ("variables", "store", "agent"),
    [
        ({}, None, "main"),
        ({"LUKASA_STORE": "/home/x.lukasa"}, "/home/x.lukasa", "main"),
        ({"LUKASA_AGENT": "ana"}, None, "ana"),
        ({"LUKASA_STORE": "postgresql://h/d", "LUKASA_AGENT": "bob"}, "postgresql://h/d", "bob"),
        ({"LUKASA_STORE": "", "LUKASA_AGENT": ""}, None, "main"),
        ({"lukasa_store": "other case", "LUKASA": "x"}, None, "main"),
    ],
)  # fmt: skip
def test_the_place_is_what_the_environment_says(
    variables: dict[str, str], store: str | None, agent: str
) -> None:
    assert place(variables) == Place(store=store or str(default_store()), agent=agent)


@pytest.mark.parametrize(
    ("variables", "embedding", "language"),
    [
        ({}, "default", None),
        ({"LUKASA_EMBEDDING": "none"}, "none", None),
        ({"LUKASA_EMBEDDING": "", "LUKASA_LANGUAGE": ""}, "default", None),
        ({"LUKASA_EMBEDDING": "onnx:mine", "LUKASA_LANGUAGE": "german"}, "onnx:mine", "german"),
    ],
)
def test_the_model_and_the_language_are_what_the_environment_says(
    variables: dict[str, str], embedding: str, language: str | None
) -> None:
    assert settings_from(variables) == Settings(embedding=embedding, language=language)


def test_the_process_own_environment_is_read_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUKASA_STORE", "here.lukasa")
    monkeypatch.setenv("LUKASA_AGENT", "zoe")
    assert place() == Place(store="here.lukasa", agent="zoe")
    monkeypatch.setenv("LUKASA_AGENT", "ana")
    assert place().agent == "ana", "it is not kept from the last time"


def test_the_default_store_is_in_the_users_own_data_folder(tmp_path: Path) -> None:
    code = "from lukasa.config import default_store; print(default_store())"
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"), "PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], env=home, capture_output=True, text=True, check=True)
    path = Path(done.stdout.strip())
    assert path.is_relative_to(tmp_path)
    assert (path.name, path.parent.name) == ("memory.lukasa", "lukasa")
    assert not path.parent.exists(), "asking where it is makes nothing"
