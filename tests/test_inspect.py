"""The verbs that look: which names lead to a card, and what the figures of a scope tell."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from zeromem import Memory, NotFound

Open = Callable[..., Memory]


def test_only_the_written_pointer_leads_to_a_card(plain: Memory) -> None:
    """Case, width and brackets may vary; another number, zeros or a lone surrogate make another name."""
    pointer = str(plain.add("I take my coffee black.", user="u").pointer)
    card = plain.get(pointer, user="u")
    for written in (pointer.upper(), f"[m:{pointer}]", f" {pointer} ", "".join(chr(ord(c) + 0xFEE0) for c in pointer)):
        assert plain.get(written, user="u") == card
    wrong = [pointer + end for end in ("1", "01", "000001", "000000000001", "123456789012", "\ud83d", "2", "?", "\0")]
    wrong += ["\udc80" + pointer, pointer[:2] + "\ud83d" + pointer[2:]]
    for written in wrong:
        for verb in (plain.get, plain.expand, plain.history, plain.delete):
            with pytest.raises(NotFound):
                verb(written, user="u")
        assert plain.resolve(f"see [m:{written}] for it", user="u").cards == {}
    assert plain.get(pointer, user="u") == card


def test_bytes_of_a_scope_are_its_own(open_memory: Open) -> None:
    """What a neighbour stores never shows in the figures of a scope; those of the whole file are the file's size."""
    memory = open_memory(embedder="none")
    memory.add("水 kettle", user="ana")
    own = memory.stats(user="ana")
    assert own.bytes == 2 * len("水 kettle".encode())
    memory.add(["a long note about shelves", "another"], user="ben")
    assert memory.stats(user="ana") == own
    assert memory.stats(user="nobody").bytes == 0
    assert memory.stats(user="ben").bytes == 2 * len("a long note about shelves" + "another")
    assert memory.stats().bytes % 4096 == 0 and memory.stats().bytes > memory.stats(user="ben").bytes


def test_an_unknown_pointer_names_its_neighbour_in_the_same_scope(plain: Memory) -> None:
    """The nearest pointer of this scope is named, never one of another; a deleted one says so; values are short."""
    plain.add("The kettle is on the shelf.", user="ben")
    for pointer in ("shelf", "m:shelf", "[m:shelf]"):
        assert plain.get(pointer, user="ben").text == "The kettle is on the shelf."
    with pytest.raises(NotFound, match=r"did you mean \[m:shelf\]"):
        plain.get("shelv", user="ben")
    with pytest.raises(NotFound, match=r"in this scope$"):
        plain.get("shelv", user="ana")
    with pytest.raises(NotFound) as told:
        plain.get("k" * 5000, user="ben")
    assert len(str(told.value)) < 200
    plain.delete("shelf", user="ben")
    for verb in (plain.get, plain.expand):
        with pytest.raises(NotFound, match=r"was deleted at .*history\('shelf'\)"):
            verb("shelf", user="ben")
    context = plain.recall("Where is it?", user="ben")
    with pytest.raises(NotFound, match=r"no context Context \(give its \.id\)") as told:
        plain.feedback(context, user="ben")  # type: ignore[arg-type]
    assert len(str(told.value)) < 100
