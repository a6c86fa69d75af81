"""Feedback: which cards an answer used, and what the figures say."""

from __future__ import annotations

import pytest

from zeromem import InvalidInput, Memory, NotFound, StoreError


@pytest.fixture
def memory() -> Memory:
    return Memory.open(":memory:", embedder="none")


def test_used_cards_are_detected_by_facts_and_pointers(memory: Memory) -> None:
    """A number that only one card holds marks it as used; a cited pointer is taken at its word."""
    memory.add(["The garage code is 4471.", "The garage door is green."], user="u")
    context = memory.recall("What is the garage code?", user="u")
    by_fact = memory.feedback(context.id, answer="It is 4471.", user="u")
    code = next(card.pointer for card in context.cards if "4471" in card.text)
    assert by_fact.used == (code,)
    cited = memory.feedback(context.id, answer=f"See [m:{code}].", outcome=True, user="u")
    assert (cited.used, cited.outcome) == ((code,), 1.0)
    memory.close()


def test_feedback_knows_only_what_was_shown(memory: Memory) -> None:
    """Unknown contexts, other scopes, cards that were not shown and odd outcomes are typed errors."""
    memory.add("The garage code is 4471.", user="u")
    other = memory.add("Cats.", user="u").pointer
    context = memory.recall("What is the garage code?", user="u")
    for call in (
        lambda: memory.feedback("x123", user="u"),
        lambda: memory.feedback(context.id, user="v"),
        lambda: memory.feedback(context.id, used=[other], user="u"),
    ):
        with pytest.raises(NotFound):
            call()
    with pytest.raises(InvalidInput):
        memory.feedback(context.id, outcome=7, user="u")
    memory.close()


def test_stats_count_hits_and_uses(memory: Memory) -> None:
    """Two recalls, one silent; one shown card, used: the rates follow."""
    memory.add("The garage code is 4471.", user="u")
    context = memory.recall("What is the garage code?", user="u")
    memory.recall("ok thanks", user="u")
    memory.feedback(context.id, answer="4471", outcome=0.5, user="u")
    stats = memory.stats(user="u")
    assert (stats.events, stats.cards, stats.recalls, stats.hit_rate, stats.use_rate) == (1, 1, 2, 0.5, 1.0)
    assert (stats.context_tokens_mean, stats.feedback) == (context.tokens, 1)
    memory.close()


def test_the_same_feedback_counts_once(memory: Memory) -> None:
    """A card is used once in a recall, however often it is told; a recall that shows nothing saves nothing."""
    memory.add("The garage code is 4471.", user="u")
    silent = memory.recall("ok thanks", user="u")
    assert (silent.text, silent.saved, memory.stats(user="u").tokens_saved) == ("", 0, 0)
    context = memory.recall("What is the garage code?", user="u")
    for _ in range(3):
        memory.feedback(context.id, used=context.cards[0].pointer, user="u")
    stats = memory.stats(user="u")
    assert (stats.use_rate, stats.tokens_saved) == (1.0, context.saved)
    memory.close()


def test_feedback_says_why_notes_cannot_be_written(plain: Memory) -> None:
    """Where the file cannot be written, that is the error, not an unknown context; once it can, the notes are there."""
    plain.add("The garage code is 4471.", user="u")
    context = plain.recall("What is the garage code?", user="u")
    with plain._store._connections.borrowed() as connection:  # type: ignore[attr-defined]
        connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreError, match="cannot be written"):
        plain.feedback(context.id, outcome=True, user="u")
    with plain._store._connections.borrowed() as connection:  # type: ignore[attr-defined]
        connection.execute("PRAGMA query_only = OFF")
    assert plain.feedback(context.id, outcome=True, user="u").outcome == 1.0
