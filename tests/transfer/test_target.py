"""`export_file` writes a whole file or none, and never over what the caller did not mean to lose."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from zeromem import InvalidInput, Memory, StoreError

Open = Callable[..., Memory]


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    memory = open_memory("m.db", embedder="none")
    memory.add("门口的钥匙在花盆下", user="u")
    return memory


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"m.db", "m.db-wal", "m.db-shm"}


def test_the_file_holds_what_export_gives(memory: Memory, tmp_path: Path) -> None:
    """One record a line, UTF-8, and the count of records."""
    assert memory.export_file(tmp_path / "x.jsonl", user="u") == 4
    lines = (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == list(memory.export(user="u"))
    assert "花盆" in lines[1]


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_the_open_memory_is_never_written_over(memory: Memory, tmp_path: Path, end: str, overwrite: bool) -> None:
    """Neither the database nor the files beside it, not even with `overwrite`."""
    with pytest.raises(InvalidInput, match="is the open memory itself"):
        memory.export_file(tmp_path / f"m.db{end}", overwrite=overwrite)
    assert memory.verify().ok
    assert left(tmp_path) == set()


@pytest.mark.parametrize("link", [os.symlink, os.link])
@pytest.mark.parametrize("end", ["", "-wal"])
def test_other_names_of_the_open_memory_count(
    memory: Memory, tmp_path: Path, link: Callable[[Path, Path], None], end: str
) -> None:
    """A symbolic or hard link to the database is the database."""
    other = tmp_path / "other.jsonl"
    link(tmp_path / f"m.db{end}", other)
    with pytest.raises(InvalidInput, match="is the open memory itself"):
        memory.export_file(other, overwrite=True)
    assert memory.verify().ok


def test_a_memory_opened_through_a_link_is_known(memory: Memory, open_memory: Open, tmp_path: Path) -> None:
    """The files beside a database stand beside the real one, not beside the link."""
    (tmp_path / "link.db").symlink_to(tmp_path / "m.db")
    linked = open_memory("link.db", embedder="none")
    for name in ("m.db", "m.db-wal", "link.db"):
        with pytest.raises(InvalidInput, match="is the open memory itself"):
            linked.export_file(tmp_path / name, overwrite=True)


def test_an_existing_file_needs_overwrite(memory: Memory, tmp_path: Path) -> None:
    """Without it the file stays as it was; with it the new one has its rights."""
    path = tmp_path / "x.jsonl"
    path.write_text("mine")
    path.chmod(0o600)
    with pytest.raises(InvalidInput, match="exists already; overwrite=True"):
        memory.export_file(path)
    assert path.read_text() == "mine"
    memory.export_file(path, overwrite=True)
    assert path.read_text().startswith('{"type": "header"')
    assert path.stat().st_mode & 0o777 == 0o600


def test_files_of_the_user_beside_it_stay(memory: Memory, tmp_path: Path) -> None:
    """A file that is named like a temporary one is not touched, and no temporary file is left."""
    (tmp_path / "x.jsonl.part").write_text("mine")
    memory.export_file(tmp_path / "x.jsonl")
    assert (tmp_path / "x.jsonl.part").read_text() == "mine"
    assert left(tmp_path) == {"x.jsonl", "x.jsonl.part"}


def test_a_symbolic_link_stays_one(memory: Memory, tmp_path: Path) -> None:
    """What it leads to is written; a link to nothing makes its target."""
    (tmp_path / "backups").mkdir()
    link = tmp_path / "latest.jsonl"
    link.symlink_to(tmp_path / "backups" / "one.jsonl")
    memory.export_file(link)
    assert link.is_symlink()
    assert (tmp_path / "backups" / "one.jsonl").read_text().startswith('{"type": "header"')
    with pytest.raises(InvalidInput, match="exists already"):
        memory.export_file(link)


def test_an_export_that_fails_leaves_what_was_there(memory: Memory, tmp_path: Path) -> None:
    """A fault in the middle keeps the old file and no other."""
    path = tmp_path / "x.jsonl"
    path.write_text("mine")

    def stop(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.export_file(path, overwrite=True, progress=stop)
    assert (path.read_text(), left(tmp_path)) == ("mine", {"x.jsonl"})


def test_places_that_cannot_be_written(memory: Memory, tmp_path: Path) -> None:
    """A folder, a missing folder, a name that no file can have: each is a typed error."""
    with pytest.raises(InvalidInput, match="is a folder"):
        memory.export_file(tmp_path)
    with pytest.raises(InvalidInput, match="there is no folder"):
        memory.export_file(tmp_path / "no" / "x.jsonl")
    with pytest.raises(StoreError, match="cannot be written"):
        memory.export_file(tmp_path / ("x" * 300))
    for name in (None, 5, b"x", [], "a\0b", "", "\ud800x"):
        with pytest.raises(InvalidInput, match="path"):
            memory.export_file(name)  # type: ignore[arg-type]
    with pytest.raises(StoreError):
        memory.export_file("/proc/self/x.jsonl")


def test_devices_are_written_as_they_are(memory: Memory) -> None:
    """No temporary file beside a device."""
    assert memory.export_file("/dev/null") == 4
