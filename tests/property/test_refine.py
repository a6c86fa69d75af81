"""Any sequence of refinements, undos, edits, deletes, restores and forgettings keeps every event reachable and every pointer resolving."""

from __future__ import annotations

import contextlib

from hypothesis import given, settings
from hypothesis import strategies as st

from zeromem import Memory, NotFound, Settings

SAID = [
    "Well, to be honest, the key of the blue shed hangs behind the door of room 12.",
    "The key of the blue shed hangs behind the door of room 12.",
    "As I said, never leave the gate open after 22:00, because of the two dogs.",
    "对了，我其实想说的是，我对花生过敏，所以千万不要点宫保鸡丁。",
    "By the way, Tom's number is 555-0142, in case you need to call him on Friday.",
    "I was wondering whether we could perhaps look at the museum of clocks on Saturday.",
]  # fmt: skip
Step = tuple[str, int]
steps = st.lists(
    st.tuples(
        st.sampled_from(["refine", "undo", "take back", "update", "delete", "restore", "forget", "say", "pin"]),
        st.integers(0, 5),
    ),
    min_size=1,
    max_size=12,
)


def _do(memory: Memory, step: Step, cards: list[str], changes: list[int]) -> None:
    what, n = step
    id_ = cards[n % len(cards)]
    if what == "refine":
        for done in memory.maintain(user="u", storage=(0.3, 0.5, 0.7, 0.9, 60, 0.99)[n], at="2027-01-01").refined:
            changes += done.changes
            assert done.after <= done.before
    elif what == "take back":
        memory.undo(change=changes[n % len(changes)] if changes and n % 2 else id_, user="u")
    elif what == "undo":
        memory.undo(user="u")
    elif what == "update":
        memory.update(id_, f"It is otherwise since day {n}.", user="u")
    elif what == "delete":
        memory.delete(id_, user="u")
    elif what == "restore":
        memory.restore(id_, user="u")
    elif what == "forget":
        memory.forget(id_, user="u")
    elif what == "pin":
        memory.pin(id_, user="u")
    else:
        memory.add(SAID[n], user="u", session="s", at="2026-05-02")


@settings(max_examples=60, deadline=None)
@given(steps)
def test_nothing_is_lost(some: list[Step]) -> None:
    """After each step all that was said and not forgotten is there byte for byte, by pointer, and in `verify`'s eyes whole."""
    kept = Settings(raw_turns=0)
    with Memory.open(":memory:", embedder="none", background=False, count=len, settings=kept) as memory:
        for text in SAID:
            memory.add(text, user="u", session="s", at="2026-05-01")
        cards = [card.id for card in memory.list(user="u")]
        changes: list[int] = []
        for step in some:
            with contextlib.suppress(NotFound, ValueError):
                _do(memory, step, cards, changes)
            for card in memory.list(user="u", limit=1000):
                found = memory.expand(card.pointer, user="u")
                assert found.spans
                if card.kind == "message" and card.made_by == "rule":
                    assert card.source in [span.event.text for span in found.spans]
                assert memory.get(card.pointer, user="u").id == card.id
                assert not card.full or len(card.text) < len(card.full) or card.text
            assert memory.verify().ok, step
