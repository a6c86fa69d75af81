"""What `Memory.open` is given: each wrong path, setting, clock or embedder is an InvalidInput that names it, and makes no file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zeromem import InvalidInput, Memory, Settings, StoreError
from zeromem.models.scripted import ScriptedEmbedder

Open = Callable[..., Memory]


@pytest.mark.parametrize("path", ["a\0b", "", "  ", None, b"x", 7, "a\ud83db", ["m.db"], Path("a\0b")])
def test_a_path_that_is_none(path: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a file named after it nor an error of the system."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match=r"^path "):
        Memory.open(path, embedder="none")
    assert list(tmp_path.iterdir()) == []


WRONG: dict[str, list[Any]] = {
    "db": [None, b"x", "", "a\0b"],
    "user": [5, " "],
    "embedder": [None, ScriptedEmbedder()],
    "budget": [-1, 2.5, "800", True, None, 2**31],
    "window": [-1, None],
    "busy_timeout": [float("nan"), float("inf"), -0.5, "30", None, True, 1e12],
    "power_safe": [1, "yes", None],
    "page_cache_kb": [0, -16, 2**40],
    "embed_on_recall": [-1, 1.0],
    "embed_batch": [0, -1],
    "snapshot_bytes": [-1, 2**63],
    "segment_low": [0, -1, 600, 470],
    "segment_high": [0, 100, "500"],
    "segment_overlap": [-1, 201, 400],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_setting_out_of_range(name: str, value: Any) -> None:
    """Wrong types, not-a-number, negatives and sizes that cannot work are refused when the settings are made."""
    with pytest.raises(InvalidInput, match=name):
        Settings(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("budget", "-1"), ("budget", "much"), ("budget", "1e3"), ("busy_timeout", "nan"), ("busy_timeout", "-1"),
        ("busy_timeout", "soon"), ("power_safe", "maybe"), ("segment_high", "0"), ("segment_high", "100"),
        ("embed_batch", "0"), ("db", "  "), ("page_cache_kb", "99999999999999"),
    ],
)  # fmt: skip
def test_a_variable_out_of_range(name: str, value: str) -> None:
    """The message names the variable, not only the field."""
    variable = f"ZEROMEM_{name.upper()}"
    with pytest.raises(InvalidInput, match=variable.replace("HIGH", "")):
        Settings.from_environment({variable: value})
    assert Settings.from_environment({variable: value}, **{name: getattr(Settings(), name)}) == Settings()


def test_settings_at_their_ends() -> None:
    """The smallest values are fine, and a whole number may stand for a time."""
    least = Settings(budget=0, window=0, busy_timeout=0, embed_on_recall=0, embed_batch=1, page_cache_kb=1,
                     snapshot_bytes=0, segment_low=1, segment_high=1, segment_overlap=0)  # fmt: skip
    with Memory.open(":memory:", embedder="none", background=False, settings=least) as memory:
        memory.add("the red kettle is on the shelf", user="u")
        assert memory.search("kettle", user="u")


@pytest.mark.parametrize("now", [10**30, -(10**30), 1.5, "now", None, True, float("nan"), 253_402_300_800_000_000])
def test_a_clock_that_is_none(open_memory: Open, now: Any) -> None:
    """A clock whose answer is no time is named by each verb that asks it, and nothing is stored."""
    good = [True]
    memory = open_memory(embedder="none", clock=lambda: 1_000_000 if good else now)
    memory.add("the red kettle", user="u")
    good.clear()
    pointer = memory.list(user="u")[0].pointer
    for call in (
        lambda: memory.add("a green kettle", user="u"),
        lambda: memory.update(pointer, "a blue kettle"),
        lambda: memory.delete(pointer),
        lambda: memory.recall("which kettle?", user="u"),
        lambda: memory.search("which kettle?", user="u"),
    ):
        with pytest.raises(InvalidInput, match=r"^clock must return"):
            call()
    assert [event.text for event in memory.messages(user="u")] == ["the red kettle"]
    assert [card.text for card in memory.list(user="u")] == ["the red kettle"]


class Half:
    name, version, dimension, usual = "half", "1", 8, (0.0, 1.0)

    def passages(self, texts: list[str]) -> None:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"settings": {"budget": 5}}, "settings"), ({"settings": 5}, "settings"), ({"clock": 5}, "clock"), ({"clock": None}, "clock"),
        ({"count": 5}, "count"), ({"embedder": 5}, "embedder"), ({"embedder": object()}, "embedder"),
        ({"embedder": Half()}, "query"), ({"embedder": "large"}, "embedder"), ({"embedder": ScriptedEmbedder(0)}, "embedder"),
    ],
)  # fmt: skip
def test_parts_that_are_none(open_memory: Open, options: dict[str, Any], named: str) -> None:
    """What is handed in is looked at when the memory is opened, not at the first call that needs it."""
    with pytest.raises(InvalidInput, match=named):
        open_memory(**{"embedder": "none", **options})


def test_damage_in_the_schema_is_told(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 in the schema itself: the error names the file and the cure."""
    path = tmp_path / "m.db"
    Memory.open(path, embedder="none").close()
    content = path.read_bytes()
    place = content.index(b"cards_previous")
    path.write_bytes(content[:place] + b"\xfe" + content[place + 1 :])
    with pytest.raises(StoreError, match=r"is damaged .* restore a backup"):
        Memory.open(path, embedder="none")


def test_an_event_that_its_index_lost_is_told(tmp_path: Path) -> None:
    """The id in the table is another than the index holds: `expand` names the event."""
    with Memory.open(tmp_path / "m.db", embedder="none") as memory:
        pointer = str(memory.add("I live in Leeds.", user="u").pointer)
        memory._store.events = lambda ids: []  # type: ignore[method-assign,assignment]
        with pytest.raises(StoreError, match="of the table events is damaged"):
            memory.expand(pointer, user="u")


def test_a_name_that_is_too_long_is_told(tmp_path: Path) -> None:
    for length in (252, 300):
        with pytest.raises(StoreError, match="cannot be opened"):
            Memory.open(tmp_path / ("a" * length), embedder="none")
