"""Learns what was useful: keeps the log of recalls and uses, and detects which cards an answer used.

In: contexts as they are handed out, answers and outcomes. Out: rows of the append-only uses table. A recall only notes what it
showed; the notes are written with the next add, feedback, stats or close, so that recall itself never writes. Detection is by
rules: a pointer that the answer cites, or facts and rare words of one card that the question did not hold.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from zeromem.errors import StoreBusy, StoreError
from zeromem.forks import watch
from zeromem.ports import Clock, Recalled, Store, Use
from zeromem.text.words import content, fold, terms
from zeromem.types import Card, Context, Scope

_HELD = 1000  # contexts whose question is remembered for feedback
_MOST_NOTES = 10_000  # unwritten notes before a recall writes them itself
_TELLING = ("number", "date", "name", "identifier", "url", "email", "quote", "code")
_RARE_SHARE = 0.4  # of a card's own words, those that no other shown card and not the question has


@dataclass(frozen=True, slots=True)
class Feedback:
    """What `feedback` wrote: the cards that count as used, each with the reason."""

    context_id: str
    used: tuple[str, ...]
    reasons: tuple[str, ...]
    outcome: float | None


class UseLog:
    """Notes of what was shown, until they are written. Safe to use from several threads."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._recalls: list[Recalled] = []
        self._shown: list[Use] = []
        self._questions: OrderedDict[str, str] = OrderedDict()
        watch(self, UseLog._renew)

    def _renew(self) -> None:
        """What was noted before is written by the parent."""
        self._lock = threading.Lock()
        self._recalls, self._shown = [], []

    def note(self, context: Context, scope: Scope, question: str) -> None:
        shown = [
            Use(context.id, card.id, card.version, "shown", float(rank), "recalled")
            for rank, card in enumerate(context.cards, 1)
        ]
        with self._lock:
            self._recalls.append(
                Recalled(
                    context.id, scope, self._clock(), context.tokens, context.full_tokens, len(shown), context.reason
                )
            )
            self._shown.extend(shown)
            self._questions[context.id] = question
            while len(self._questions) > _HELD:
                self._questions.popitem(last=False)
            due = len(self._shown) + len(self._recalls) > _MOST_NOTES
        if due:
            self.flush()

    def question(self, context_id: str) -> str:
        with self._lock:
            return self._questions.get(context_id, "")

    def flush(self, *, must: bool = False) -> bool:
        """Write the notes; if the file cannot be written now they are kept, and the answer is False (with `must`, the error is raised)."""
        recalls: list[Recalled] = []
        shown: list[Use] = []
        if not self._recalls:
            return True
        try:
            with self._store.write():
                with self._lock:  # taken inside the transaction: a reset that comes before it clears them, too
                    recalls, self._recalls = self._recalls, []
                    shown, self._shown = self._shown, []
                self._store.add_recalls(recalls, shown, self._clock())
        except (StoreBusy, StoreError):
            with self._lock:
                self._recalls[:0], self._shown[:0] = recalls, shown
            if must:
                raise
            return False
        return True

    def forget(self, card_ids: Iterable[str]) -> None:
        """Let go of what was noted of these cards, and of every question, for one may hold their words."""
        gone = set(card_ids)
        with self._lock:
            self._shown = [use for use in self._shown if use.card_id not in gone]
            self._questions.clear()

    def clear(self) -> None:
        with self._lock:
            self._recalls, self._shown = [], []
            self._questions.clear()


def used_cards(answer: str, cards: Sequence[Card], question: str) -> list[tuple[Card, str]]:
    """The shown cards that the answer used, with the reason. An answer that cites pointers is taken at its word."""
    cited = [(card, f"cites [m:{card.pointer}]") for card in cards if f"[m:{card.pointer}]" in answer]
    if cited:
        return cited
    said = set(content(terms(answer))) - set(terms(question))
    facts = _facts(answer) - _facts(question)
    words = {card.id: set(content(terms(card.text))) for card in cards}
    out = []
    for card in cards:
        others = set().union(*(words[other.id] for other in cards if other.id != card.id))
        shared = facts & _facts(card.text)
        own = words[card.id] - others - set(terms(question))
        rare = own & said
        if shared:
            out.append((card, f"shares {', '.join(sorted(shared)[:3])}"))
        elif len(rare) >= 2 and len(rare) >= _RARE_SHARE * len(own):
            out.append((card, f"shares the words {', '.join(sorted(rare)[:4])}"))
    return out


def _facts(text: str) -> set[str]:
    from zeromem.text.atoms import atoms  # only for feedback: its patterns take a tenth of a recall's start

    return {fold(atom.text) for atom in atoms(text) if atom.kind in _TELLING}
