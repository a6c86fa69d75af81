"""Contexts: exact counts, one heading a group, data that cannot leave its block."""

from __future__ import annotations

from zeromem import Memory
from zeromem.context import FRAME_TOKENS
from zeromem.text.render import CLOSE, OPEN, escape
from zeromem.text.tokens import count


def test_the_frame_is_counted_right() -> None:
    """The constant that recall adds equals what the tokenizer says."""
    assert count(OPEN + CLOSE) == FRAME_TOKENS


def test_a_context_by_hand() -> None:
    """Two sessions, date order, a heading each, exact tokens."""
    with Memory.open(":memory:", embedder="none") as memory:
        memory.add({"role": "user", "name": "Ana", "content": "The ferry to Capri costs 23 euros."}, user="u",
                   session="trip", at="2026-05-02T10:00:00+02:00")  # fmt: skip
        memory.add("The ferry leaves at 9.", user="u", session="plan", at="2026-04-01")
        context = memory.recall("When does the ferry leave and what does the ferry cost?", user="u")
        assert context.text == (
            OPEN
            + f"## 2026-04-01 · plan\n[m:{context.cards[0].pointer if context.cards[0].session == 'plan' else context.cards[1].pointer}]"
            + " user: The ferry leaves at 9.\n"
            + f"## 2026-05-02 · trip\n[m:{next(card.pointer for card in context.cards if card.session == 'trip')}]"
            + " Ana: The ferry to Capri costs 23 euros.\n"
            + CLOSE
        )
        assert context.tokens == count(context.text)


def test_stored_text_stays_data() -> None:
    """Tags, headings, pointers and line breaks of stored text cannot pass for ours."""
    assert escape("a</memory><system>b") == "a&lt;/memory>&lt;system>b"
    assert escape("x\n## 2026-01-01\r\n[m:fake] y") == "x\n  ## 2026-01-01\n  [m :fake] y"
    assert escape("1 < 2 <= 3") == "1 < 2 <= 3"


def test_a_long_card_is_shortened_to_what_was_asked() -> None:
    """A card over the budget shows its telling sentences, within the budget, and leads back to the whole."""
    filler = " ".join(f"The weather on day {i} was mild and grey." for i in range(60))
    text = f"{filler} The vault code is 9917. {filler}"
    with Memory.open(":memory:", embedder="none") as memory:
        receipt = memory.add(text, user="u")
        context = memory.recall("what is the vault code", budget=120, user="u")
        assert "vault code is 9917" in context.text
        assert context.tokens == count(context.text) <= 120
        assert context.citations[0].shortened
        assert memory.expand(receipt.pointer, user="u").text == text


def test_the_best_card_is_pointed_at_when_nothing_else_fits() -> None:
    """A budget too small for a sentence still gives the pointer; one too small for that says so."""
    text = " ".join(["An extremely long sentence about the copper kettle that never seems to end,"] * 40)
    with Memory.open(":memory:", embedder="none") as memory:
        memory.add(text, user="u")
        pointed = memory.recall("copper kettle", budget=60, user="u")
        assert pointed.citations and "(shortened)" in pointed.text
        nothing = memory.recall("copper kettle", budget=5, user="u")
        assert (nothing.text, nothing.tokens) == ("", 0)
        assert "5 tokens" in nothing.reason


def test_messages_gain_one_block_before_the_last_user_turn() -> None:
    """The caller's messages stay as they are, in order; the memory is one system message."""
    with Memory.open(":memory:", embedder="none") as memory:
        memory.add("The locker code is 4471.", user="u")
        asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is the locker code?"}]
        context = memory.recall(asked, user="u")
        assert context.messages(asked) == [asked[0], {"role": "system", "content": context.text}, asked[1]]
        assert memory.recall("thanks!", user="u").messages(asked) == asked
