"""Anthropic's memory tool: the strings of its own implementation, files that come back to the byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lukasa
from lukasa.toolsets.files import listing

if TYPE_CHECKING:
    from pathlib import Path

    from lukasa.db.database import Json
    from lukasa.toolsets.box import Toolbox

    from .conftest import Boxes

NOTES = "/memories/work/notes.md"


@pytest.fixture
def files(box: Boxes) -> Toolbox:
    return box("anthropic")


def do(files: Toolbox, command: str, **given: Json) -> str:
    reply = files.reply("memory", {"command": command, **given})
    assert isinstance(reply.said, str)
    return reply.said


def fails(files: Toolbox, command: str, **given: Json) -> str:
    before = do(files, "view", path="/memories")
    reply = files.reply("memory", {"command": command, **given})
    assert reply.failed
    assert do(files, "view", path="/memories") == before
    return str(reply.said)


def test_a_folder_is_shown_two_levels_deep(files: Toolbox) -> None:
    header = "Here're the files and directories up to 2 levels deep in {}, excluding hidden items:"
    assert do(files, "view", path="/memories") == header.format("/memories") + "\n0B\t/memories"
    do(files, "create", path="/memories/a.txt", file_text="x" * 1536)
    do(files, "create", path="/memories/b/c/deep.txt", file_text="12345")
    do(files, "create", path="/memories/b/.hidden", file_text="no")
    assert do(files, "view", path="/memories").splitlines() == [
        header.format("/memories"),
        "1.5K\t/memories",
        "1.5K\t/memories/a.txt",
        "5B\t/memories/b/",
        "5B\t/memories/b/c/",
    ]
    assert do(files, "view", path="/memories/b").splitlines()[1:] == [
        "7B\t/memories/b",
        "5B\t/memories/b/c/",
        "5B\t/memories/b/c/deep.txt",
    ]


def test_a_file_is_shown_with_its_lines(files: Toolbox) -> None:
    assert do(files, "create", path=NOTES, file_text="one\ntwo\n\nfour\n") == (
        f"File created successfully at: {NOTES}"
    )
    head = f"Here's the content of {NOTES} with line numbers:\n"
    assert (
        do(files, "view", path=NOTES) == head + "     1\tone\n     2\ttwo\n     3\t\n     4\tfour\n     5\t"
    )
    assert do(files, "view", path=NOTES, view_range=[2, 3]) == head + "     2\ttwo\n     3\t"
    assert do(files, "view", path=NOTES, view_range=[4, -1]) == head + "     4\tfour\n     5\t"


def test_a_text_is_replaced_where_it_stands_once(files: Toolbox) -> None:
    do(files, "create", path=NOTES, file_text="a\nb\nc\nd\ne\nf\n")
    assert do(files, "str_replace", path=NOTES, old_str="d", new_str="D") == (
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        "     2\tb\n     3\tc\n     4\tD\n     5\te\n     6\tf"
    )
    assert fails(files, "str_replace", path=NOTES, old_str="z", new_str="y") == (
        f"No replacement was performed, old_str `z` did not appear verbatim in {NOTES}."
    )
    do(files, "create", path="/memories/two", file_text="x\nx y x\n")
    assert fails(files, "str_replace", path="/memories/two", old_str="x", new_str="y") == (
        "No replacement was performed. Multiple occurrences of old_str `x` in lines: 1, 2, 2. "
        "Please ensure it is unique"
    )
    assert fails(files, "str_replace", path="/memories/no", old_str="x", new_str="y") == (
        "The path /memories/no does not exist. Please provide a valid path."
    )
    assert fails(files, "str_replace", path="/memories/work", old_str="x", new_str="y") == (
        "The path /memories/work is not a file."
    )


def test_a_line_is_inserted(files: Toolbox) -> None:
    do(files, "create", path=NOTES, file_text="one\nthree")
    assert do(files, "insert", path=NOTES, insert_line=1, insert_text="two\n") == (
        f"The file {NOTES} has been edited."
    )
    assert do(files, "insert", path=NOTES, insert_line=0, insert_text="zero")
    assert do(files, "view", path=NOTES).endswith(
        ":\n     1\tzero\n     2\tone\n     3\ttwo\n     4\tthree\n     5\t"
    )
    assert fails(files, "insert", path=NOTES, insert_line=5, insert_text="x") == (
        "Invalid `insert_line` parameter: 5. It should be within the range [0, 4]."
    )


def test_files_and_folders_are_deleted(files: Toolbox) -> None:
    for path in ("/memories/a/1", "/memories/a/2", "/memories/ab"):
        do(files, "create", path=path, file_text=path)
    assert do(files, "delete", path="/memories/a") == "Successfully deleted /memories/a"
    assert do(files, "view", path="/memories").splitlines()[2:] == ["12B\t/memories/ab"]
    assert fails(files, "delete", path="/memories/a") == "The path /memories/a does not exist"
    assert fails(files, "delete", path="/memories") == "Cannot delete the /memories directory itself"
    assert do(files, "delete", path="/memories/ab/") == "Successfully deleted /memories/ab/"
    assert files.binding.handle.stats().entries == 0


def test_files_and_folders_are_renamed(files: Toolbox) -> None:
    for path in ("/memories/a/1", "/memories/a/2", "/memories/b"):
        do(files, "create", path=path, file_text=path)
    said = do(files, "rename", old_path="/memories/a", new_path="/memories/c/d")
    assert said == "Successfully renamed /memories/a to /memories/c/d"
    assert do(files, "view", path="/memories/c/d/2").endswith("\t/memories/a/2")
    assert fails(files, "rename", old_path="/memories/b", new_path="/memories/c") == (
        "The destination /memories/c already exists"
    )
    assert fails(files, "rename", old_path="/memories/no", new_path="/memories/e") == (
        "The path /memories/no does not exist"
    )
    assert fails(files, "rename", old_path="/memories", new_path="/memories/e") == (
        "Cannot rename the /memories directory itself"
    )


def test_a_file_is_not_created_twice(files: Toolbox) -> None:
    do(files, "create", path=NOTES, file_text="x")
    for path in (NOTES, "/memories/work", "/memories", f"{NOTES}/inner"):
        assert fails(files, "create", path=path, file_text="y") == f"File {path} already exists"
    assert do(files, "view", path=NOTES).endswith("\tx")


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/memoriesx", "memories/a", "/memories/../etc", "/memories/a/../../b"]
)
def test_no_path_leads_elsewhere(files: Toolbox, path: str) -> None:
    said = fails(files, "create", path=path, file_text="x")
    assert said in {
        f"Path must start with /memories, got: {path}",
        f"Path {path} would escape /memories directory",
    }


def test_other_entries_and_other_agents_are_no_files(box: Boxes, files: Toolbox) -> None:
    files.binding.handle.add("notes", "About /memories/x.")
    shared = files.binding.handle.add("/memories/shared", "Of all.", scope="project/apollo")
    do(box("anthropic", agent="ben"), "create", path="/memories/ben", file_text="Ben's.")
    assert do(files, "view", path="/memories").splitlines()[1:] == ["0B\t/memories"]
    assert fails(files, "view", path="/memories/ben").startswith("The path /memories/ben does not exist")
    assert fails(files, "delete", path="/memories/shared") == "The path /memories/shared does not exist"
    assert files.binding.handle.get(shared.id).content == "Of all."


def test_what_a_file_holds_is_recalled(files: Toolbox) -> None:
    do(files, "create", path=NOTES, file_text="\n# Tea\nThe user drinks green tea.\n\n")
    assert [hit.entry.name for hit in files.binding.handle.recall("what does the user drink")] == [NOTES]


def test_a_command_without_its_arguments_is_told(files: Toolbox) -> None:
    assert fails(files, "view") == "The command needs 'path', which is missing. Give path with it."
    assert fails(files, "insert", path=NOTES, insert_text="x").startswith("The path")
    assert "Did you mean 'str_replace' or" in fails(files, "replace", path=NOTES)


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(written=texts | st.sampled_from(["", " ", "\n\n", "a", " a ", "\ta\r\n", "a\n\nb\n"]))
def test_a_file_comes_back_to_the_byte(tmp_path_factory: pytest.TempPathFactory, written: str) -> None:
    folder: Path = tmp_path_factory.mktemp("files")
    with lukasa.tools("anthropic", store=folder / "m.lukasa", agent="ana") as files:
        do(files, "create", path="/memories/f", file_text=written)
        shown = do(files, "view", path="/memories/f").partition(":\n")[2]
        assert "\n".join(line.partition("\t")[2] for line in shown.split("\n")) == written
        assert files.binding.store.check().ok


@pytest.mark.parametrize(
    "mark", [5, [], [1, 2], ["a"], {"a": 1}, ["", "", "/memories/f"], ["a", "b", "text"], None]
)
def test_a_file_that_another_tool_wrote_is_shown_as_it_is(files: Toolbox, mark: Json) -> None:
    files.binding.handle.add("/memories/f", "text", metadata={"file": mark})
    assert do(files, "view", path="/memories/f").endswith(":\n     1\ttext")
    assert do(files, "view", path="/memories").splitlines()[1:] == ["4B\t/memories", "4B\t/memories/f"]


def test_an_empty_file_that_another_tool_wrote_into_is_not_empty(box: Boxes, files: Toolbox) -> None:
    do(files, "create", path=NOTES, file_text="")
    box("default").call("update", {"ref": NOTES, "content": "The user drinks tea."})
    assert do(files, "view", path=NOTES).endswith(":\n     1\tThe user drinks tea.")
    do(files, "create", path="/memories/b", file_text="\n")
    do(files, "rename", old_path="/memories/b", new_path="/memories/c")
    assert do(files, "view", path="/memories/c").endswith(":\n     1\t\n     2\t")


def test_sizes_are_shown_as_the_tool_shows_them() -> None:
    sizes = {"/memories/a": 1_048_576, "/memories/b": 1_023, "/memories/c": 0, "/memories/d": 2_600}
    assert listing("/memories", "/memories", sizes).splitlines()[2:] == [
        "1M\t/memories/a",
        "1023B\t/memories/b",
        "0B\t/memories/c",
        "2.5K\t/memories/d",
    ]
