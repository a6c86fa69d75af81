"""An overview without a topic is of the newest session before this one, or of the time that it names."""

from __future__ import annotations

import pytest

from zeromem import Memory

FIRST = ["We looked at two kitchens.", "Möbel Kraft wants 17,900 euros."]
LAST = ["Lisa skips her cello lessons.", "Her audition is on 14 November."]
NOW = ["The weather is fine today."]


@pytest.fixture
def kept():
    with Memory.open(":memory:", embedder="none") as memory:
        for session, day, texts in (("a", "2026-10-05", FIRST), ("b", "2026-10-20", LAST), ("c", "2026-11-25", NOW)):
            for minute, text in enumerate(texts):
                memory.add(text, user="u", session=session, at=f"{day}T08:{minute:02d}")
            memory.add(
                {"role": "assistant", "content": "I see, tell me more."}, user="u", session=session, at=f"{day}T09:00"
            )
        yield memory


@pytest.mark.parametrize(
    "question", ["What did we talk about last time?", "总结一下", "上次我们聊了什么？", "Give me a recap"]
)
def test_it_is_of_the_session_before(kept, question):
    shown = [card.text for card in kept.recall(question, user="u", session="c", at="2026-11-25T10:00").cards]
    assert sorted(shown) == sorted(LAST)
    assert [card.text for card in kept.recall(question, user="u", at="2026-11-25T10:00").cards] == NOW


def test_it_is_of_the_time_that_is_named(kept):
    shown = kept.recall("What did we talk about on 5 October 2026?", user="u", session="c", at="2026-11-25T10:00").cards
    assert sorted(card.text for card in shown) == sorted(FIRST)


def test_a_summary_stands_for_its_turns():
    with Memory.open(":memory:", embedder="none") as memory:
        for minute in range(8):
            text = f"The budget for room {minute} is {minute}500 euros, and the painter {minute} comes on {minute + 1} December with his own ladder."
            memory.add(text, user="u", session="a", at=f"2026-10-05T08:{minute:02d}")
        memory.maintain(user="u", at="2026-11-01")
        shown = memory.recall("What did we talk about last time?", user="u", session="b", at="2026-11-25").cards
        assert [card.kind for card in shown] == ["summary"]
