"""Fills a memory with a set's turns through its public verbs, and leads cards back to turns.

In: turns and an embedder. Out: a `Filled` memory: one scope a conversation, every turn added by itself with its session, time
and speaker, everything embedded. The turn's id travels as metadata of the event, so that duplicates lead to all their turns.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from bench.data import Question, Turn
from bench.metrics import Place, place, shown_by_pointer, survives
from zeromem import Card, Context, Hits, Memory, Settings
from zeromem.ports import Embedder


class Filled:
    """A memory that holds conversations, with the way back from its cards to their turns. With `upkeep` it has been kept house in, at
    the time of each conversation's last turn."""

    upkeep = False

    def __init__(self, embedder: Embedder | None, *, path: str = ":memory:", settings: Settings | None = None) -> None:
        self.memory = Memory.open(path, embedder=embedder or "none", background=False, settings=settings)
        self._places: dict[str, Place] = {}
        self._turns_of: dict[str, frozenset[str]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.memory.close()

    def add(self, turns: Iterable[Turn]) -> int:
        """Add turns in order, each by itself; returns how many got no card (acknowledgements, system prompts)."""
        without = 0
        for turn in turns:
            receipt = self.memory.add(
                message(turn), at=turn.time, user=turn.conversation, session=turn.session, metadata={"turn": turn.id}
            )
            without += not receipt.ids
        return without

    def add_all(self, conversations: Mapping[str, Sequence[Turn]]) -> int:
        """Add every conversation, embed everything, and say on stderr how long it took."""
        started = time.monotonic()
        without = sum(self.add(turns) for turns in conversations.values())
        added = time.monotonic()
        self.memory.embed_pending(progress=_progress)
        for name, turns in conversations.items() if self.upkeep else ():
            moved = self.memory.maintain(at=max(turn.time for turn in turns), user=name).moved
            print(f"  upkeep of {name}: {dict(moved)}", file=sys.stderr)
        count = sum(map(len, conversations.values()))
        print(f"  {count} turns added in {added - started:.1f} s, embedded in {time.monotonic() - added:.1f} s; "
              f"{without} without a card", file=sys.stderr)  # fmt: skip
        return without

    def search(self, question: Question, k: int) -> Hits:
        return self.memory.search(question.text, k=k, user=question.conversation, **times(question))

    def recall(self, question: Question, budget: int | None) -> Context:
        """The context within `budget`; None leaves it to the memory how much it shows."""
        return self.memory.recall(question.text, budget=budget, user=question.conversation, **times(question))

    def turns_shown(self, context: Context) -> set[str]:
        """The turns that the context's cards were made of."""
        return {turn for card in context.cards for turn in self.sources(card)}

    def places(self, hits: Hits) -> list[Place]:
        """The places of a ranking of cards."""
        return [self._place(hit.card) for hit in hits]

    def _place(self, card: Card) -> Place:
        if card.id not in self._places:
            self._places[card.id] = place(card.text, self.sources(card))
        return self._places[card.id]

    def sources(self, card: Card) -> dict[str, str]:
        events = self.memory.expand(card.id).events
        return {str(event.metadata["turn"]): event.text for event in events if "turn" in event.metadata}

    def gold_shown(
        self, context: Context, gold: Iterable[str], texts: Mapping[str, str], weights: Mapping[str, float]
    ) -> list[bool]:
        """For each gold turn, whether a shown citation covers it and its text stands there."""
        by_pointer = shown_by_pointer(context.text)
        shown: dict[str, str] = {}
        for citation, card in zip(context.citations, context.cards, strict=True):
            if card.id not in self._turns_of:
                self._turns_of[card.id] = frozenset(self.sources(card))
            for turn in self._turns_of[card.id]:
                shown[turn] = shown.get(turn, "") + "\n" + by_pointer.get(citation.pointer, "")
        return [id_ in shown and survives(shown[id_], texts[id_], weights) for id_ in gold]


def times(question: Question) -> dict[str, Any]:
    """The options that put a question at its time, with only what was said before it."""
    options = {"at": question.asked, "before": question.before}
    return {name: value for name, value in options.items() if value is not None}


def message(turn: Turn) -> dict[str, Any]:
    """A turn as a chat message."""
    out: dict[str, Any] = {"role": turn.role, "content": turn.text}
    if turn.name:
        out["name"] = turn.name
    return out


def _progress(done: int, total: int) -> None:
    if done % 1024 < 32:
        print(f"  embedding {done}/{total}", file=sys.stderr)
