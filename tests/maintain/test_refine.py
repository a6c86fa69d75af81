"""Refinement of a scope: within its room, reversible, and nothing of what was said is lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from zeromem import Card, InvalidInput, Memory, NotFound, Settings
from zeromem.refinements import Refined

SAID = [
    "Well, to be honest with you, I really think that the harbour flat on Quay Street is by far the nicest one we have seen so far this spring.",
    "By the way, the landlord of the harbour flat is called Mr Okafor, and he would like to have the deposit of 2,400 euros by 12 March.",
    "As I said before, please never book a room on the ground floor for my mother, because the stairs of the old house were flooded twice.",
    "I was wondering whether we could perhaps go and have a look at the small museum of clocks on Saturday afternoon, if you feel like it.",
    "对了，我其实挺想说的是，我对花生过敏，所以聚餐的时候千万不要点宫保鸡丁，上次吃了一口就进了医院，大家都吓坏了。",
    "嗯，说实话，我觉得下周三的会议可能要改到周五下午三点，因为李老师那天要去苏州出差，实在赶不回来参加了。",
]  # fmt: skip
AT = "2026-03-01T10:00:00+00:00"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    settings = Settings(raw_turns=0, summaries=False)
    with Memory.open(tmp_path / "m.db", embedder="none", background=False, settings=settings) as made:
        for text in SAID:
            made.add(text, user="ana", session="flat", at=AT)
        yield made


def cards(memory: Memory) -> list[Card]:
    return list(memory.list(user="ana"))


def refined(memory: Memory, storage: float = 0.6, **options: Any) -> Refined:
    (done,) = memory.maintain(user="ana", storage=storage, **options).refined
    return done


def test_texts_come_within_their_room_and_lead_back_to_every_byte(memory: Memory) -> None:
    """What is shown is shorter, says its numbers, names and denials, and `expand`, `source` and the events have the words as they were."""
    done = refined(memory)
    said = sum(map(len, SAID))
    assert (done.said, done.before, done.budget) == (said, said, int(0.6 * said))
    assert done.after <= done.budget and done.made["shorten"] >= 4 and done.tokens_saved > 0
    found = cards(memory)
    assert sum(len(card.text) for card in found) == done.after
    assert [card.source for card in found] == SAID
    assert [memory.expand(card.pointer).text for card in found] == SAID
    shown = "\n".join(card.text for card in found)
    for kept in ("2,400 euros", "12 March", "Okafor", "never", "花生过敏", "不要", "周五下午三点"):
        assert kept in shown
    assert memory.verify().ok


def test_a_shortened_memory_is_found_by_all_its_words(memory: Memory) -> None:
    """Words that are no longer shown still lead to it, in the same order as before; the context is in the brief words and within its budget."""
    questions = ["harbour flat nicest this spring", "stairs flooded", "museum of clocks", "聚餐", "苏州出差"]
    memory.maintain(user="ana")  # what moves between the tiers is another matter
    before = [[hit.card.id for hit in memory.search(q, user="ana")] for q in questions]
    refined(memory)
    assert [[hit.card.id for hit in memory.search(q, user="ana")] for q in questions] == before
    context = memory.recall("Who is the landlord of the harbour flat?", user="ana", budget=120)
    assert "Okafor" in context.text and 0 < context.tokens <= 120
    (card,) = [card for card in context.cards if "Okafor" in card.text]
    assert card.text in context.text.replace("\n  ", "\n") and card.text != card.source


def test_facts_stand_as_they_were(memory: Memory) -> None:
    """Facts belong to the words that were said, not to those that are shown."""
    told = [(f.subject, f.slot, f.value) for f in memory.facts(user="ana")]
    assert told
    refined(memory, 0.3)
    assert [(f.subject, f.slot, f.value) for f in memory.facts(user="ana")] == told


def test_values_of_facts_are_still_shown(memory: Memory) -> None:
    """The words that state what is known of somebody survive a tight room."""
    more = "To be quite honest with you, I work as a nurse, which can be rather tiring, and I live in Bristol, as you may well remember."
    memory.add(more, user="ana", session="flat", at=AT)
    stated = {fact.value: fact.pointer for fact in memory.facts(user="ana")}
    refined(memory, 0.4)
    for value, pointer in stated.items():
        assert len(value) > 40 or value.casefold() in memory.get(str(pointer), user="ana").text.casefold()
    assert {"nurse", "Bristol", "花生"} <= stated.keys()


def test_what_was_done_is_told_and_taken_back(memory: Memory) -> None:
    """`history` tells of it, `undo(change=…)` shows everything as it was said, and the next upkeep leaves it so."""
    done = refined(memory)
    assert len(done.changes) == 1
    pointer = next(card.pointer for card in cards(memory) if card.full)
    assert [(one.what, one.new) for one in memory.history(pointer, user="ana")][-1] == (
        "refined",
        memory.get(pointer, user="ana").text,
    )
    receipt = memory.undo(change=done.changes[0], user="ana")
    assert len(receipt.items) == sum(done.made.values())
    assert [card.text for card in cards(memory)] == SAID
    assert memory.history(pointer, user="ana")[-1].what == "taken back"
    assert refined(memory).made == {}
    with pytest.raises(NotFound):
        memory.undo(change=done.changes[0], user="ana")


def test_one_memory_is_taken_back_by_its_pointer(memory: Memory) -> None:
    """The others stay brief; another user's change is unknown."""
    done = refined(memory)
    pointer = next(card.pointer for card in cards(memory) if card.full)
    memory.undo(change=pointer, user="ana")
    assert memory.get(pointer, user="ana").full == ""
    assert any(card.full for card in cards(memory))
    with pytest.raises(NotFound):
        memory.undo(change=done.changes[0], user="ben")
    with pytest.raises(InvalidInput):
        memory.undo(change=True, user="ana")


def test_a_dry_run_proposes_and_changes_nothing(memory: Memory) -> None:
    done = refined(memory, dry_run=True)
    assert done.proposals and not done.changes
    assert [card.text for card in cards(memory)] == SAID
    assert {one.before for one in done.proposals} <= set(SAID)
    real = refined(memory)
    assert {one.after for one in done.proposals} == {card.text for card in cards(memory) if card.full}
    assert (real.after, real.made) == (done.after, done.made)


def test_upkeep_is_done_when_it_is_done(memory: Memory) -> None:
    """A second run at the same room finds nothing to do; a smaller room shortens further, from the words that were said."""
    refined(memory)
    assert refined(memory).made == {}
    tighter = refined(memory, 0.45)
    assert tighter.made and tighter.after < 0.6 * tighter.said
    assert [card.source for card in cards(memory)] == SAID


def test_what_is_pinned_or_new_stays_as_it_was_said(memory: Memory) -> None:
    first = cards(memory)[0]
    memory.pin(first.pointer, user="ana")
    refined(memory, 0.4)
    assert memory.get(first.pointer, user="ana").text == SAID[0]
    with Memory.open(
        ":memory:", embedder="none", background=False, settings=Settings(raw_turns=2, summaries=False)
    ) as other:
        for number, text in enumerate(SAID):
            other.add(text, user="ana", at=f"2026-03-0{number + 1}")
        other.maintain(user="ana", storage=0.6)
        assert [card.text for card in other.list(user="ana")][-2:] == SAID[-2:]


def test_a_memory_that_another_says_too_is_shown_once(memory: Memory) -> None:
    """Its pointer resolves and leads to its own bytes; its words lead to the other; it comes back when the other goes or changes."""
    short = "The landlord of the harbour flat is called Mr Okafor."
    memory.add(short, user="ana", session="flat", at=AT)
    done = refined(memory, 0.99)
    assert done.made.get("inside") == 1
    whole = next(card for card in cards(memory) if card.source == SAID[1])
    inner = next(card for card in cards(memory) if card.source == short)
    hits = [hit.card.id for hit in memory.search("landlord of the harbour flat called Okafor", user="ana")]
    assert whole.id in hits and inner.id not in hits
    assert memory.expand(inner.pointer, user="ana").text == short
    memory.delete(whole.pointer, user="ana")
    assert memory.search("landlord Okafor", user="ana")[0].card.id == inner.id
    assert memory.verify().ok


def test_the_same_done_twice_stays_two_things() -> None:
    """What was said in two sessions and states no fact is two occasions, however alike."""
    settings = Settings(raw_turns=0, summaries=False)
    with Memory.open(":memory:", embedder="none", background=False, settings=settings) as memory:
        memory.add("We swam to the island with Tom and his two cousins.", user="ana", session="may", at="2026-05-01")
        memory.add("We swam to the island with Tom.", user="ana", session="june", at="2026-06-01")
        (done,) = memory.maintain(user="ana", storage=0.9).refined
        assert "inside" not in done.made


def test_a_change_by_hand_ends_what_was_made_of_the_old_words(memory: Memory) -> None:
    refined(memory)
    card = next(card for card in cards(memory) if card.full)
    memory.update(card.pointer, "The flat is taken.", user="ana")
    assert memory.get(card.pointer, user="ana").text == "The flat is taken."
    memory.undo(user="ana")
    assert memory.get(card.pointer, user="ana").text == card.source


def test_forgetting_takes_the_brief_words_along(memory: Memory) -> None:
    """No byte of the source or of what was made of it stays in the file."""
    refined(memory)
    card = next(card for card in cards(memory) if "Okafor" in card.text)
    assert card.full and memory.forget(card.pointer, user="ana").done
    assert b"Okafor" not in Path(memory._store.path).read_bytes()
    assert memory.verify().ok


def test_what_rests_answers_where_nothing_else_does(memory: Memory) -> None:
    """In a room too small for the atoms the weakest memories rest: out of every list of hits, and found when nothing else is."""
    done = refined(memory, 60)
    assert done.made["rest"] >= 1 and done.after <= 60
    assert "museum" in memory.search("museum of clocks", user="ana")[0].card.source
    assert memory.recall("Which museum did we want to look at?", user="ana")
    assert [card.source for card in cards(memory)] == SAID
    memory.undo(change=done.changes[0], user="ana")
    assert [card.text for card in cards(memory)] == SAID


def test_a_memory_that_is_changed_meanwhile_is_left(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read is looked at again when it is written."""
    first = cards(memory)[0]
    seen: list[int] = []

    def pause() -> None:
        if not seen:
            seen.append(1)
            thread = threading.Thread(target=lambda: memory.update(first.pointer, "It fell through.", user="ana"))
            thread.start()
            thread.join()

    monkeypatch.setattr(memory, "_pause", pause)
    done = refined(memory)
    assert seen and memory.get(first.pointer, user="ana").text == "It fell through."
    assert done.made["shorten"] >= 3
    assert memory.verify().ok


@pytest.mark.parametrize("storage", [-1, float("nan"), float("inf"), True, "half", None.__class__])
def test_a_bad_room_is_told(memory: Memory, storage: Any) -> None:
    with pytest.raises(InvalidInput, match="storage"):
        memory.maintain(user="ana", storage=storage)


def test_a_change_that_made_nothing_has_no_number() -> None:
    """Where all texts are too brief to be said in fewer words and all are pinned, nothing is written."""
    settings = Settings(raw_turns=0, summaries=False)
    with Memory.open(":memory:", embedder="none", background=False, settings=settings) as memory:
        for text in ("Tea at five.", "Cake at six, well, to be honest, I think, or perhaps a little later on."):
            memory.pin(str(memory.add(text, user="ana").pointer), user="ana")
        memory.add("Milk, please.", user="ana")
        (done,) = memory.maintain(user="ana", storage=0.9).refined
        assert set(done.made) <= {"rest"} and bool(done.changes) is bool(done.made)


def test_no_room_is_named_and_nothing_is_touched(memory: Memory) -> None:
    (done,) = memory.maintain(user="ana").refined
    assert (done.made, done.before) == ({}, done.after)
    assert [card.text for card in cards(memory)] == SAID


def test_a_long_history_comes_within_its_room(tmp_path: Path) -> None:
    """Hundreds of memories in several batches, cut short in the middle and run again: the same end."""
    settings = Settings(raw_turns=0, summaries=False)
    texts = [f"{SAID[n % 6]} That was on day {n}, at house number {n * 7}." for n in range(240)]
    with Memory.open(tmp_path / "long.db", embedder="none", background=False, settings=settings) as memory:
        memory.add([{"role": "user", "content": text} for text in texts], user="ana", session="s", at=AT)

        def stop(done: int, total: int) -> None:
            if done == 100:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            memory.maintain(user="ana", storage=0.75, progress=stop)
        (half,) = memory.maintain(user="ana", storage=0.75).refined
        assert half.before < half.said and half.after <= half.budget
        assert [card.source for card in memory.list(user="ana", limit=1000)] == texts
        for n in (0, 17, 239):
            assert f"day {n}" in memory.search(f"house number {n * 7} day {n}", user="ana")[0].card.text
        assert memory.verify().ok
