"""What the machine does to a file: no rights, no space, locks, damage. Each is a typed error, and nothing half-written stays."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from zeromem import Memory, Settings, StoreBusy, StoreError, StoreFull, ZeromemError

Open = Callable[..., Memory]
QUICK = Settings(busy_timeout=0.2)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte; skipped where it cannot be mounted."""
    folder = tmp_path / "small"
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def frozen_disk(tmp_path: Path) -> Iterator[Callable[[], Path]]:
    """A folder that `freeze()` makes read-only for everybody, root too; skipped where it cannot be mounted."""
    folder = tmp_path / "frozen"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(folder)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("no file system can be mounted here")

    def freeze() -> Path:
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True, capture_output=True)
        return folder

    yield freeze
    subprocess.run(["umount", "-l", str(folder)], check=True)


def _pragma(memory: Memory, text: str) -> None:
    """Set on the one connection that a memory used by one thread has."""
    with memory._store._connections.borrowed() as connection:  # type: ignore[attr-defined]
        connection.execute(f"PRAGMA {text}")


def fill(memory: Memory, until: int = 4000) -> int:
    """Add until an error; return how many were acknowledged."""
    for i in range(until):
        memory.add(f"entry {i}: " + "a long note about shelves and boxes " * 20, user="u")
    return until


def test_full_disk(small_disk: Path) -> None:
    """A full disk raises StoreFull; everything acknowledged is there; with space again, writing goes on."""
    path = small_disk / "m.db"
    acknowledged = 0
    with Memory.open(path, embedder="none", background=False) as memory:
        with pytest.raises(StoreFull, match="full"):
            for i in range(4000):
                memory.add(f"entry {i}: " + "a long note about shelves and boxes " * 20, user="u")
                acknowledged += 1
        assert acknowledged > 10
        assert len(memory.messages(user="u")) == acknowledged
        assert memory.search("shelves", user="u", k=1)[0].text.startswith("entry")
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    with Memory.open(path, embedder="none", background=False) as memory:
        assert len(memory.messages(user="u")) == acknowledged
        assert memory.add("one more entry", user="u").count("stored") == 1
        assert memory.verify().ok


def test_full_by_page_limit(open_memory: Open) -> None:
    """The same where SQLite's own limit of pages is reached."""
    memory = open_memory(embedder="none")
    memory.add("first entry", user="u")
    _pragma(memory, "max_page_count = 60")
    with pytest.raises(StoreFull):
        fill(memory)
    count = len(memory.messages(user="u"))
    assert count == len(memory.list(user="u", limit=5000)) > 1
    _pragma(memory, "max_page_count = 100000")
    memory.add("space again", user="u")
    assert len(memory.messages(user="u")) == count + 1
    assert memory.verify().ok


def test_read_only_folder(frozen_disk: Callable[[], Path], tmp_path: Path) -> None:
    """A memory in a read-only folder is read; a write is refused and names the rights."""
    path = tmp_path / "frozen" / "m.db"
    with Memory.open(path, embedder="none", background=False) as memory:
        memory.add("the red kettle", user="u")
    frozen_disk()
    memory = Memory.open(path, embedder="none", settings=QUICK, background=False)
    with memory:
        assert [card.text for card in memory.list(user="u")] == ["the red kettle"]
        assert "red kettle" in memory.recall("which kettle?", user="u").text
        with pytest.raises(StoreError, match="cannot be written"):
            memory.add("another kettle", user="u")


_READING = """
import os, sys
from zeromem import Memory, Settings, StoreError
def look(path):
    memory = Memory.open(path, embedder="none", background=False, settings=Settings(busy_timeout=0.2), count=len)
    if path == ":memory:":
        memory.add("the red kettle", user="u")
    print([card.text for card in memory.list(user="u")], [hit.text for hit in memory.search("kettle", user="u")])
    print("red kettle" in memory.recall("which kettle is red?", user="u").text, memory.get(memory.list(user="u")[0].pointer, user="u").text)
    print([record["type"] for record in memory.export(user="u")], memory.stats(user="u").cards, memory.verify().problems)
    print(memory.warnings)
    return memory
if os.getuid() == 0:  # the rights of files do not bind this user: load everything, then become another
    look(":memory:")
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
memory = look(sys.argv[1])
try:
    memory.add("another kettle", user="u")
except StoreError as error:
    print(error)
memory.close()
"""


def test_a_file_without_rights_in_a_folder_without_rights() -> None:
    """A user who may read and not write reads everything; a write names the rights; nothing is left beside the file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "m ä?%23.db"  # what a URI would take for its own must be quoted
        with Memory.open(path, embedder="none", background=False, count=len) as memory:
            memory.add("the red kettle", user="u")
        path.chmod(0o444)
        folder.chmod(0o555)
        done = subprocess.run([sys.executable, "-c", _READING, str(path)], capture_output=True, text=True, check=False)
        left = [item.name for item in folder.iterdir()]
        folder.chmod(0o755)
    assert done.stderr == ""
    read, found, exported, warned, refused = done.stdout.splitlines()[-5:]
    assert read == "['the red kettle'] ['the red kettle']"
    assert found == "True the red kettle"
    assert exported == "['header', 'event', 'card', 'link'] 1 ()"
    assert "opened for reading only" in warned
    assert "cannot be written" in refused
    assert left == [path.name]


_WATCHING = """
import os, sys
from zeromem import Memory, StoreError, Settings
def look(memory):
    texts = [event.text for event in memory.messages(user="u")]
    return texts, [hit.text for hit in memory.search("kettle", user="u")], memory.verify().problems
def opened(path):
    return Memory.open(path, embedder="none", background=False, settings=Settings(busy_timeout=0.2), count=len)
with opened(":memory:") as memory:  # load everything while the rights are there
    memory.add("the red kettle", user="u")
    look(memory)
os.setgroups([]), os.setgid(65534), os.setuid(65534)
memory = opened(sys.argv[1])
print(memory.warnings, flush=True)
for line in sys.stdin:
    try:
        print(*look(memory), flush=True)
    except StoreError as error:
        print(error, flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="becomes another user")
def test_a_reader_without_rights_sees_what_the_owner_writes() -> None:
    """Added, deleted by hand and reset by the owner: the other user's open memory shows the state of now, or says why not."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        path = Path(name) / "m.db"

        def owner() -> Memory:
            return Memory.open(path, embedder="none", background=False, count=len)

        with owner() as memory:
            memory.add("the red kettle", user="u")
        command = [sys.executable, "-c", _WATCHING, str(path)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as reader:
            assert reader.stdin and reader.stdout

            def seen() -> str:
                assert reader.stdin and reader.stdout
                reader.stdin.write("\n")
                reader.stdin.flush()
                return reader.stdout.readline().strip()

            assert "reading only" in reader.stdout.readline()
            assert seen() == "['the red kettle'] ['the red kettle'] ()"
            with owner() as memory:
                memory.reset()
                memory.add([f"kettle {i}: " + "a long note " * 40 for i in range(200)], user="u")
            assert seen().startswith("['kettle 0")
            with owner() as memory:
                memory.reset()
                memory.add("the blue kettle", user="u")
            assert seen() == "['the blue kettle'] ['the blue kettle'] ()"
            memory = owner()
            memory.add("the green kettle", user="u")
            path.with_name("m.db-wal").chmod(0o600)
            path.with_name("m.db-shm").chmod(0o600)
            assert "its newest words are in" in seen()
            for end in ("-wal", "-shm"):
                path.with_name(f"m.db{end}").chmod(0o644)
            assert "the green kettle" in seen()  # with the owner's index beside it the file is read like any other
            memory.add("the white kettle", user="u")
            assert "the white kettle" in seen()
            memory.close()
            assert "the white kettle" in seen()
            reader.stdin.close()


def test_a_frozen_file_that_is_written_during_a_read(frozen_disk: Callable[[], Path], tmp_path: Path) -> None:
    """What was read may be of two states: the call ends in an error that says to call again, and the next one is right."""
    path = tmp_path / "frozen" / "m.db"
    with Memory.open(path, embedder="none", background=False) as memory:
        memory.add("the red kettle", user="u")
    folder = frozen_disk()
    with Memory.open(path, embedder="none", settings=QUICK, background=False) as memory:
        with pytest.raises(StoreError, match="call again"), memory._store.read():
            memory.messages(user="u")
            subprocess.run(["mount", "-o", "remount,rw", str(folder)], check=True, capture_output=True)
            with Memory.open(path, embedder="none", background=False) as owner:
                owner.add("the blue kettle", user="u")
        assert [event.text for event in memory.messages(user="u")] == ["the red kettle", "the blue kettle"]
        assert memory.add("a green kettle", user="u").count("stored") == 1  # the folder takes writes now


def test_a_log_that_cannot_be_read_is_not_passed_over(frozen_disk: Callable[[], Path], tmp_path: Path) -> None:
    """Where a log holds the newest words and the folder takes no index, opening fails rather than to show an older state."""
    made = tmp_path / "made.db"
    memory = Memory.open(made, embedder="none", background=False)
    memory.add("the red kettle", user="u")
    for end in ("", "-wal"):
        (tmp_path / "frozen" / f"m.db{end}").write_bytes(Path(f"{made}{end}").read_bytes())
    memory.close()
    frozen_disk()
    with pytest.raises(StoreError, match="copy the file with the files beside it"):
        Memory.open(tmp_path / "frozen" / "m.db", embedder="none", settings=QUICK, background=False)


@pytest.mark.parametrize("room", [0, 4096, 16_384, 40_960, 65_536])
def test_disk_full_at_the_first_open(small_disk: Path, room: int) -> None:
    """A disk without room for a new memory is StoreFull, wherever it runs out; with room again the file becomes one."""
    ballast = small_disk / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while file.write(b"x" * 4096):
            pass
    if room:
        os.truncate(ballast, ballast.stat().st_size - room)
    with pytest.raises(StoreFull, match="full"):
        Memory.open(small_disk / "m.db", embedder="none", background=False)
    ballast.unlink()
    with Memory.open(small_disk / "m.db", embedder="none", background=False) as memory:
        assert memory.add("the red kettle", user="u").count("stored") == 1
        assert memory.verify().ok


def test_new_file_in_a_read_only_folder(frozen_disk: Callable[[], Path]) -> None:
    """No memory can be made there, and the error says so."""
    with pytest.raises(StoreError, match=r"new\.db"):
        Memory.open(frozen_disk() / "new.db", embedder="none", background=False)


def test_query_only_connection(open_memory: Open) -> None:
    """A connection that may not write reads on, and a write is a StoreError that names the rights."""
    memory = open_memory(embedder="none")
    memory.add("the red kettle", user="u")
    _pragma(memory, "query_only = ON")
    with pytest.raises(StoreError, match="cannot be written"):
        memory.add("another kettle", user="u")
    assert [hit.text for hit in memory.search("kettle", user="u")] == ["the red kettle"]
    assert "red kettle" in memory.recall("which kettle?", user="u").text


def test_locked_by_another_process(tmp_path: Path, open_memory: Open) -> None:
    """A write that waits longer than the time-out is StoreBusy; reading goes on; after the lock it works."""
    memory = open_memory(embedder="none", settings=QUICK)
    memory.add("the red kettle", user="u")
    script = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN IMMEDIATE');"
        "print('locked', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "memory.db")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout and holder.stdout.readline()
    with holder:
        for call in (
            lambda: memory.add("another kettle", user="u"),
            lambda: memory.delete(memory.list(user="u")[0].id),
            lambda: memory.verify(repair=True),
            lambda: memory.reset(),
        ):
            with pytest.raises(StoreBusy, match="locked by another process"):
                call()
        assert [hit.text for hit in memory.search("kettle", user="u")] == ["the red kettle"]
        assert "red kettle" in memory.recall("which kettle?", user="u").text
        assert memory.stats().cards == 1
        holder.communicate()
    assert memory.add("another kettle", user="u").count("stored") == 1
    assert memory.stats().recalls == 1


def test_a_first_read_does_not_wait_for_a_write(open_memory: Open) -> None:
    """A thread that reads for the first time does so while another thread is in the middle of a write."""
    memory = open_memory(embedder="none")
    memory.add("the red kettle", user="u")
    seen: list[int] = []
    with memory._store.write():
        thread = threading.Thread(target=lambda: seen.append(len(memory.list(user="u"))))
        thread.start()
        thread.join(10)
        assert seen == [1]


def _damage(path: Path, place: int, size: int = 2000) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        file.write(os.urandom(size))


def test_corrupt_pages_never_look_like_nothing(tmp_path: Path) -> None:
    """With every page behind the first damaged, opening or reading raises a typed error; there is no empty answer."""
    path = tmp_path / "m.db"
    with Memory.open(path, embedder="none", background=False) as memory:
        memory.add([f"entry {i} about shelf {i * 7}" for i in range(300)], user="u")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'cards'").fetchone()[0]
    _damage(path, 4096 * (root - 1), 4096)

    def use() -> list[Any]:
        with Memory.open(path, embedder="none", background=False) as memory:
            return [*memory.list(user="u"), *memory.search("shelf", user="u")]

    with pytest.raises(StoreError, match="damaged"):
        use()


def test_verify_reports_corruption(tmp_path: Path) -> None:
    """A damaged page makes `verify` raise or report, never say ok."""
    path = tmp_path / "m.db"
    with Memory.open(path, embedder="none", background=False) as memory:
        memory.add([f"entry {i} about shelf {i * 7}" for i in range(300)], user="u")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events_session_user'").fetchone()
        root = root or connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'links_event'").fetchone()
    _damage(path, 4096 * (root[0] - 1), 4096)
    with Memory.open(path, embedder="none", background=False) as memory:
        try:
            result = memory.verify()
        except StoreError:
            return
        assert not result.ok and result.problems


@pytest.mark.parametrize("size", [50, 99, 511, 4095, 5000])
def test_truncated_file(tmp_path: Path, size: int) -> None:
    """A file cut anywhere is refused with a typed error, at opening or at the first read."""
    path = tmp_path / "m.db"
    with Memory.open(path, embedder="none", background=False) as memory:
        memory.add([f"entry {i} about shelf {i * 7}" for i in range(50)], user="u")
    with path.open("r+b") as file:
        file.truncate(size)
    with pytest.raises(ZeromemError):
        with Memory.open(path, embedder="none", background=False) as memory:
            assert memory.list(user="u")


def test_a_whole_log_gives_no_warning(tmp_path: Path, open_memory: Open) -> None:
    """A file that is open elsewhere, with a whole log, opens without a warning."""
    first = open_memory(embedder="none")
    first.add("the red kettle", user="u")
    assert (tmp_path / "memory.db-wal").exists()
    assert open_memory(embedder="none").warnings == ()


def test_a_log_of_nonsense(tmp_path: Path, open_memory: Open) -> None:
    """A log that is no log is ignored by SQLite and does not lose what the file holds."""
    memory = open_memory(embedder="none")
    memory.add("the red kettle", user="u")
    memory.close()
    (tmp_path / "memory.db-wal").write_bytes(b"nonsense" * 1000)
    again = open_memory(embedder="none")
    assert [card.text for card in again.list(user="u")] == ["the red kettle"]
    assert again.add("another kettle", user="u").count("stored") == 1
