"""An export is one moment of the memory, whoever writes meanwhile; an export of a session is whole in itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest

from zeromem import AsyncMemory, Memory, StoreError

Open = Callable[..., Memory]


def change(memory: Memory) -> None:
    """All that another process could do: add, say again, update, delete, retire."""
    memory.add("the green lamp is in the attic", user="u", session="late")
    memory.add("parcel number 3 is red", user="u", session="late")
    memory.update(memory.list(user="u")[0].id, "parcel number 0 is blue", user="u")
    memory.delete_source("d", user="u")


@pytest.mark.parametrize("name", ["m.db", ":memory:"])
@pytest.mark.parametrize("seen", [1, 2, 700, 1500, 2400])
def test_writes_in_the_middle_are_not_in_it(open_memory: Open, name: str, seen: int) -> None:
    """Wherever the reader stands, the records are those of the beginning, and they import."""
    memory = open_memory(name, embedder="none")
    memory.add([f"parcel number {n} is red" for n in range(800)], user="u")
    memory.add("from a source", user="u", source_id="d")
    before = list(memory.export())
    other = open_memory(name, embedder="none") if name != ":memory:" else memory
    records = memory.export()
    told = list(islice(records, seen))
    change(other)
    told += records
    assert told == before
    copy = open_memory("copy.db", embedder="none")
    copy.import_(told)
    assert all(copy.expand(card.id).spans for card in copy.list(user="u", limit=1000))


def test_a_reader_that_waits_blocks_nobody(open_memory: Open) -> None:
    """The same thread, and the same memory, may write between two records."""
    memory = open_memory(embedder="none")
    memory.add("one lamp", user="u")
    for _ in memory.export():
        memory.add("two lamps", user="u")
    assert memory.verify().ok


def test_an_erased_memory_is_no_short_export(open_memory: Open) -> None:
    """A reset in the middle is an error, not a file that looks whole."""
    memory = open_memory(embedder="none")
    memory.add([f"parcel number {n} is red" for n in range(1500)], user="u")
    records = memory.export()
    next(records)
    open_memory(embedder="none").reset()
    with pytest.raises(StoreError, match="erased"):
        list(records)


def test_async_exports_are_one_moment(open_memory: Open) -> None:
    """Also where every chunk is read in another thread."""
    memory = open_memory(embedder="none")
    memory.add([f"parcel number {n} is red" for n in range(800)], user="u")
    before = list(memory.export())

    async def run() -> list[Any]:
        shared, told = AsyncMemory(memory), []
        async for record in shared.export():
            if len(told) == 3:
                await shared.add("a late lamp", user="u")
            told.append(record)
        return told

    assert asyncio.run(run()) == before


def test_a_session_brings_every_card_that_it_says(open_memory: Open) -> None:
    """A card that was first said in another session comes with the one that says it again, with its versions."""
    memory = open_memory(embedder="none")
    memory.add("I take my coffee black.", user="u", session="s1")
    memory.add("我的护照在抽屉里。", user="u", session="s1")
    memory.add("I take my coffee black.", user="u", session="s2")
    memory.add("The lamp is green.", user="u", session="s2")
    memory.update(memory.search("coffee", user="u")[0].card.id, "I take my coffee with milk.", user="u")
    told = list(memory.export(user="u", session="s2"))
    copy = open_memory("copy.db", embedder="none")
    copy.import_(told)
    assert [card.text for card in copy.list(user="u")] == ["I take my coffee with milk.", "The lamp is green."]
    assert [event.text for event in copy.expand(copy.search("coffee", user="u")[0].card.id, user="u").events] == [
        "I take my coffee black."
    ]
    assert list(copy.export(user="u", session="s2")) == told
    assert copy.import_(memory.export()).new["events"] == 3
    assert {card.text for card in copy.list(user="u")} == {card.text for card in memory.list(user="u")}
