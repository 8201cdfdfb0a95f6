"""A disk that is full and a place that cannot be written to: a clear error, and nothing changed."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

import lukasa
from lukasa.errors import LukasaError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lukasa.testing import FrozenClock

    InChild = Callable[[Callable[[], object]], str]

NOBODY = 65534
TEA = "The tea is in the blue tin."


@pytest.fixture
def ground() -> Iterator[Path]:
    """A folder that everybody may enter; pytest's own are closed to other users."""
    folder = Path(tempfile.mkdtemp(prefix="lukasa-"))
    folder.chmod(0o755)
    yield folder
    for inside in (folder, *folder.rglob("*")):
        if inside.is_dir():
            inside.chmod(0o700)
    shutil.rmtree(folder)


@pytest.fixture
def file(ground: Path, clock: FrozenClock) -> Path:
    """A store, closed, alone in its folder."""
    path = ground / "alone" / "memory.lukasa"
    with lukasa.open(path, clock=clock) as store:
        store.agent("ana").remember(TEA, name="tea")
    return path


def folder_of(path: Path) -> dict[str, bytes]:
    return {other.name: other.read_bytes() for other in path.parent.iterdir()}


def as_nobody() -> None:
    """Root is stopped by no mode: in a child, somebody else goes on."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)


def told(work: Callable[[], object]) -> str:
    """The error's type, what it says and what to do, each on a line; or what came out."""
    try:
        return str(work())
    except LukasaError as error:
        return f"{type(error).__name__}\n{error.message}\n{error.fix}"


def write(path: Path) -> str:
    with lukasa.open(path) as store:
        return store.agent("ana").remember("Ana plays the flute.", name="flute").content


def read(path: Path) -> str:
    with lukasa.open(path) as store:
        assert store.check().problems == ()
        return store.agent("ana").get("tea").content


def assert_not_writable(said: str, path: Path, found: str) -> None:
    kind, message, fix = said.split("\n")
    assert kind == "StoreNotWritableError"
    assert str(path) in message
    assert found in message
    assert fix


# -- read-only --------------------------------------------------------------------------------

READ_ONLY = {
    "the file": (0o444, 0o777),
    "the folder": (0o666, 0o555),
    "both": (0o444, 0o555),
}


@pytest.mark.parametrize("which", READ_ONLY)
def test_a_store_that_cannot_be_written_can_be_read_and_refuses_writes(
    file: Path, in_child: InChild, which: str
) -> None:
    before = folder_of(file)
    file_mode, folder_mode = READ_ONLY[which]
    file.chmod(file_mode)
    file.parent.chmod(folder_mode)

    def both() -> str:
        as_nobody()
        return f"{told(lambda: read(file))}\n{told(lambda: write(file))}"

    content, _, said = in_child(both).partition("\n")
    assert content == TEA
    assert_not_writable(said, file, "read-only")
    assert folder_of(file) == before


@pytest.mark.parametrize("which", READ_ONLY)
def test_a_store_that_cannot_be_written_is_recalled_from_and_says_what_was_not_noted(
    file: Path, in_child: InChild, which: str
) -> None:
    file_mode, folder_mode = READ_ONLY[which]
    file.chmod(file_mode)
    file.parent.chmod(folder_mode)

    def recalled() -> str:
        as_nobody()
        with lukasa.open(file) as store:
            ana = store.agent("ana")
            answer, block = ana.recall("tea"), ana.context("tea")
            assert ana.recall("tea", observe=False).notes == ()
            return "\n".join([answer.hits[0].entry.content, *answer.notes, block.hits[0].entry.content])

    assert (
        in_child(recalled) == f"{TEA}\nThe store takes no writes: it was not noted what was recalled.\n{TEA}"
    )


def test_one_who_may_not_read_the_file_hears_so(file: Path, in_child: InChild) -> None:
    before = folder_of(file)
    file.parent.chmod(0o755)
    file.chmod(0o600 if os.geteuid() == 0 else 0o000)

    def both() -> str:
        as_nobody()
        return f"{told(lambda: read(file))}\n{told(lambda: write(file))}"

    said = in_child(both)
    file.chmod(0o600)
    lines = said.split("\n")
    assert_not_writable("\n".join(lines[:3]), file, "cannot be read: Permission denied")
    assert lines[:3] == lines[3:]
    assert folder_of(file) == before


def test_one_who_may_not_enter_the_folder_hears_so(file: Path, in_child: InChild) -> None:
    file.parent.chmod(0o700 if os.geteuid() == 0 else 0o000)

    def look() -> str:
        as_nobody()
        return told(lambda: read(file))

    assert_not_writable(in_child(look), file, "cannot be read: Permission denied")


@pytest.mark.parametrize("deeper", ["", "deep", "deep/er"])
def test_a_store_that_cannot_be_made_leaves_nothing(ground: Path, in_child: InChild, deeper: str) -> None:
    path = ground / deeper / "memory.lukasa"
    ground.chmod(0o555)

    def make() -> str:
        as_nobody()
        return told(lambda: write(path))

    assert_not_writable(in_child(make), path, "could not be written")
    assert list(ground.iterdir()) == []


def test_what_a_killed_writer_left_can_be_read_or_is_refused_in_words(
    file: Path, in_child: InChild, start: Callable[..., subprocess.Popen[str]]
) -> None:
    killed = start(
        """
        import os, signal, sys
        import lukasa

        store = lukasa.open(sys.argv[1])
        store.agent("ana").write("tea", "The tea is in the green tin.")
        os.kill(os.getpid(), signal.SIGKILL)
        """,
        str(file),
    )
    killed.wait(60)
    before = folder_of(file)
    assert f"{file.name}-wal" in before
    for left in file.parent.iterdir():
        left.chmod(0o444)
    file.parent.chmod(0o555)

    def look() -> str:
        as_nobody()
        return told(lambda: read(file))

    said = in_child(look)
    if said != "The tea is in the green tin.":
        assert_not_writable(said, file, "read-only")
    assert folder_of(file) == before
    assert read(file) == "The tea is in the green tin."


# -- full -------------------------------------------------------------------------------------


def test_a_first_write_that_does_not_fit_leaves_no_file_and_no_folder(
    ground: Path, in_child: InChild
) -> None:
    path = ground / "alone" / "deep" / "memory.lukasa"

    def make() -> str:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
        return told(lambda: write(path))

    assert_not_writable(in_child(make), path, "could not")
    assert list(ground.iterdir()) == []


def test_a_write_that_does_not_fit_changes_nothing_and_the_next_one_fits(
    file: Path, in_child: InChild
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    limit = file.stat().st_size + 30_000

    def fill() -> str:
        with lukasa.open(file) as store:
            ana = store.agent("ana")
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
            said = told(lambda: ana.remember("A long note. " * 7_000, name="long"))
            names = [entry.name for entry in ana.list().entries]
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            ana.remember("A long note. " * 7_000, name="long")
            return f"{names}\n{said}"

    names, _, said = in_child(fill).partition("\n")
    assert names == "['tea']"
    assert_not_writable(said, file, "could not")
    with lukasa.open(file) as store:
        assert [entry.name for entry in store.agent("ana").list().entries] == ["long", "tea"]
        assert store.check().problems == ()


@cache
def can_mount() -> bool:
    """Whether this machine lets us have a small disk of our own."""
    if shutil.which("unshare") is None:
        return False
    tried = subprocess.run(
        ["unshare", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"],
        capture_output=True,
        check=False,
    )
    return tried.returncode == 0


SMALL_DISK = """
    import json, os, subprocess, sys
    import lukasa

    disk, size, remount = sys.argv[1], sys.argv[2], ["mount", "-o", "remount"]
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], check=True)
    path = f"{disk}/store/memory.lukasa"

    def listed(ana):
        return sorted(entry.name for entry in ana.list(limit=500).entries)

    def told(work):
        try:
            work()
        except lukasa.LukasaError as error:
            return f"{type(error).__name__}\\n{error.message}\\n{error.fix}"

    found = {}
    with lukasa.open(path) as store:
        ana, kept, said = store.agent("ana"), [], None
        while said is None and len(kept) < 400:
            name = f"note {len(kept):03}"
            said = told(lambda: ana.remember(f"{name}, a long one. " * 100, name=name))
            kept += [name] if said is None else []
        found["said"], found["kept"], found["listed"] = said, kept, listed(ana)
        found["again"] = told(lambda: ana.remember("Too much. " * 9_000, name="again"))
        found["problems"] = store.check().problems
    with lukasa.open(path) as store:
        found["reopened"] = listed(store.agent("ana"))
    found["left"] = os.listdir(disk)
    subprocess.run([*remount, "-o", "size=4m", disk], check=True)
    with lukasa.open(path) as store:
        store.agent("ana").remember("There is room again.", name="room")
        found["after"], found["sound"] = listed(store.agent("ana")), store.check().problems
    subprocess.run([*remount, "-o", "ro", disk], check=True)
    with lukasa.open(path) as store:
        found["read_only"] = told(lambda: store.agent("ana").remember("No.", name="no"))
        found["read"] = listed(store.agent("ana"))
    found["files"] = os.listdir(f"{disk}/store")
    print(json.dumps(found))
"""


@pytest.mark.skipif(not can_mount(), reason="no small disk can be mounted here")
@pytest.mark.parametrize("size", ["60k", "300k", "900k"])
def test_on_a_disk_that_runs_full_nothing_acknowledged_is_lost(tmp_path: Path, size: str) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(
        ["unshare", "--map-root-user", "--mount", sys.executable, "-c", dedent(SMALL_DISK), str(disk), size],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    path = disk / "store" / "memory.lukasa"
    assert_not_writable(found["said"], path, "could not")
    assert_not_writable(found["again"], path, "could not")
    assert_not_writable(found["read_only"], path, "read-only")
    assert bool(found["kept"]) == (size != "60k")
    assert found["listed"] == found["reopened"] == found["kept"]
    assert found["left"] == (["store"] if found["kept"] else [])
    assert found["after"] == found["read"] == [*found["kept"], "room"]
    assert (found["problems"], found["sound"], found["files"]) == ([], [], ["memory.lukasa"])
