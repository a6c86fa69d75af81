"""AsyncMemory and ScopedMemory have the verbs of Memory, take the same arguments and give the same results."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zeromem import AsyncMemory, InvalidScope, Memory, NotFound, ScopedMemory
from zeromem.models.scripted import ScriptedEmbedder
from zeromem.types import ScopeIds

VERBS = sorted(
    name
    for name, _ in inspect.getmembers(Memory, inspect.isfunction)
    if not name.startswith("_") and name not in ("close", "scope")
)
# Without the scope that a bound memory has: verbs that speak of the whole file.
WHOLE_FILE = {"reindex", "reset", "scopes", "verify"}


def scripted(start: int = 1_784_944_800_000_000) -> Callable[[], int]:
    """A clock that moves one millisecond at each look."""
    now = [start]

    def look() -> int:
        now[0] += 1000
        return now[0]

    return look


def test_the_verbs_are_found() -> None:
    """The list that this file compares is not empty by accident."""
    assert {"add", "recall", "search", "get", "expand", "list", "history", "export", "feedback"} <= set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_async_has_every_verb(verb: str, tmp_path: Path) -> None:
    """Every verb is there, with the signature and the docstring of the synchronous one."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        awaited = getattr(AsyncMemory(memory), verb)
        if verb == "export":  # streams: an asynchronous generator
            assert inspect.isasyncgenfunction(awaited)
            return
        assert inspect.iscoroutinefunction(awaited)
        assert inspect.signature(awaited) == inspect.signature(getattr(memory, verb))
        assert awaited.__doc__ == getattr(memory, verb).__doc__


@pytest.mark.parametrize("verb", VERBS)
def test_scoped_has_every_verb_of_a_scope(verb: str) -> None:
    """Every verb that takes a scope is there; those of the whole file are not."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        me = memory.scope(user="u")
        if verb in WHOLE_FILE:
            with pytest.raises(AttributeError, match="its verbs are"):
                getattr(me, verb)
            return
        assert inspect.signature(getattr(me, verb)) == inspect.signature(getattr(memory, verb))
        assert verb in dir(me)


@pytest.mark.parametrize("verb", sorted(set(VERBS) - WHOLE_FILE))
def test_every_verb_takes_the_same_scope(verb: str) -> None:
    """The scope keywords are the same four everywhere."""
    parameters = inspect.signature(getattr(Memory, verb)).parameters.values()
    (kind,) = [parameter for parameter in parameters if parameter.kind is inspect.Parameter.VAR_KEYWORD]
    assert set(ScopeIds.__annotations__) == {"user", "agent", "session", "tenant"}
    assert kind.name in ("ids", "options")


SAID: list[dict[str, Any]] = [
    {"role": "user", "content": "The red kettle is on shelf 4."},
    {"role": "assistant", "content": "Noted: red kettle, shelf 4."},
    {"role": "user", "name": "Ola", "content": "水泵在三号仓库。"},
]


def _told(value: Any) -> Any:
    """A result without what differs by chance: ids of cards, events and contexts, and milliseconds."""
    if isinstance(value, list | tuple):
        return [_told(one) for one in value]
    if isinstance(value, dict):
        return {key: _told(one) for key, one in value.items()}
    if hasattr(value, "__slots__") and hasattr(value, "__dataclass_fields__"):
        skipped = (
            {"id", "event_id", "context_id", "ms", "card", "event", "files"}
            if not hasattr(value, "card")
            else {"id", "ms"}
        )
        return {name: _told(getattr(value, name)) for name in value.__dataclass_fields__ if name not in skipped}
    if isinstance(value, str) and len(value) == 27 and value[0] in "cex":
        return value[0]
    return value


def _calls(user: dict[str, str]) -> list[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    return [
        ("add", (SAID,), {"session": "s", "source_id": "d", "metadata": {"n": 1}, **user}),
        ("add", ("The blue valve leaks.",), user),
        ("embed_pending", (), user),
        ("search", ("kettle",), {"k": 3, **user}),
        ("recall", ("where is the red kettle?",), {"budget": 100, **user}),
        ("list", (), {"limit": 2, **user}),
        ("messages", (), {"session": "s", **user}),
        ("get", ("kettle",), user),
        ("update", ("kettle", "The red kettle is on shelf 5."), user),
        ("history", ("kettle",), user),
        ("expand", ("kettle",), user),
        ("resolve", ("see [m:kettle] and [m:nobody]",), user),
        ("delete", ("kettle",), user),
        ("restore", ("kettle",), user),
        ("correct", ("blue valve", "The blue valve is mended."), user),
        ("undo", (), user),
        ("forget", ("blue valve",), {"dry_run": True, **user}),
        ("forget", ("blue valve",), user),
        ("delete_source", ("d",), user),
        ("delete_all", (), user),
        ("stats", (), user),
    ]


def test_async_gives_equal_results(tmp_path: Path) -> None:
    """The same calls in the same order give the same values, awaited or not."""
    calls = _calls({"user": "u"})
    options: dict[str, Any] = {"background": False}

    with Memory.open(tmp_path / "a.db", embedder=ScriptedEmbedder(), clock=scripted(), **options) as memory:
        plain = [_told(getattr(memory, verb)(*args, **kwargs)) for verb, args, kwargs in calls]
        plain += [_told(list(memory.export(user="u"))), _told(memory.verify()), _told(memory.scopes())]

    async def run() -> list[Any]:
        opened = await AsyncMemory.open(tmp_path / "b.db", embedder=ScriptedEmbedder(), clock=scripted(), **options)
        async with opened as memory:
            awaited = [_told(await getattr(memory, verb)(*args, **kwargs)) for verb, args, kwargs in calls]
            exported = [record async for record in memory.export(user="u")]
            return [*awaited, _told(exported), _told(await memory.verify()), _told(await memory.scopes())]

    assert asyncio.run(run()) == plain


def test_scoped_gives_equal_results(tmp_path: Path) -> None:
    """A bound scope is the same as its keywords in every call."""
    results = []
    for name, bound in (("a.db", False), ("b.db", True)):
        with Memory.open(tmp_path / name, embedder=ScriptedEmbedder(), clock=scripted(), background=False) as memory:
            target: Any = memory.scope(user="u") if bound else memory
            calls = _calls({} if bound else {"user": "u"})
            results.append([_told(getattr(target, verb)(*args, **kwargs)) for verb, args, kwargs in calls])
    assert results[0] == results[1]


def test_async_scoped_gives_equal_results(tmp_path: Path) -> None:
    """A scope bound to an AsyncMemory has the verbs of the bound synchronous one, awaited, with the same results."""
    options: dict[str, Any] = {"background": False}
    with Memory.open(tmp_path / "a.db", embedder=ScriptedEmbedder(), clock=scripted(), **options) as memory:
        me = memory.scope(user="u")
        plain = [_told(getattr(me, verb)(*args, **kwargs)) for verb, args, kwargs in _calls({})] + [
            _told(list(me.export()))
        ]

    async def run() -> list[Any]:
        opened = await AsyncMemory.open(tmp_path / "b.db", embedder=ScriptedEmbedder(), clock=scripted(), **options)
        async with opened as memory:
            me = memory.scope(user="u")
            for verb in set(VERBS) - WHOLE_FILE:
                assert getattr(me, verb).__doc__
                assert verb in dir(me)
            for verb in WHOLE_FILE:
                with pytest.raises(AttributeError, match="its verbs are"):
                    getattr(me, verb)
            with pytest.raises(InvalidScope, match="contradicts"):
                await me.add("x", user="v")
            with pytest.raises(InvalidScope):
                memory.scope()
            awaited = [_told(await getattr(me, verb)(*args, **kwargs)) for verb, args, kwargs in _calls({})]
            return [*awaited, _told([record async for record in me.export()])]

    assert asyncio.run(run()) == plain


def test_async_errors_are_the_same() -> None:
    """A typed error comes through the await."""

    async def run() -> None:
        async with await AsyncMemory.open(":memory:", embedder="none", background=False) as memory:
            with pytest.raises(NotFound):
                await memory.get("nobody", user="u")
            with pytest.raises(InvalidScope):
                await memory.add("x")

    asyncio.run(run())


def test_async_calls_run_side_by_side(tmp_path: Path) -> None:
    """Fifty adds and searches at once all succeed, and nothing blocks the loop for long."""

    async def run() -> list[int]:
        async with await AsyncMemory.open(tmp_path / "m.db", embedder="none", background=False) as memory:
            adds = [memory.add(f"entry {i} about shelf {i * 7}", user="u") for i in range(50)]
            searches = [memory.search("shelf", user="u", k=100) for _ in range(10)]
            await asyncio.gather(*adds, *searches)
            return [len(await memory.list(user="u")), len(await memory.search("shelf", user="u", k=100))]

    assert asyncio.run(run()) == [50, 50]


def test_a_bound_scope_may_be_narrowed_not_left() -> None:
    """A session may be added to a bound user; another user may not; an unknown verb names the known ones."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        me = memory.scope(user="u")
        assert isinstance(me, ScopedMemory)
        me.add("in the session", session="s")
        assert [event.session for event in [e.scope for e in me.messages(session="s")]] == ["s"]
        with pytest.raises(InvalidScope, match="contradicts"):
            me.add("x", user="v")
        with pytest.raises(AttributeError):
            me.reset()
        with pytest.raises(InvalidScope):
            memory.scope()
