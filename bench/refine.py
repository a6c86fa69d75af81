"""Measures what a store still says when it keeps 70, 50 and 30 % of its characters: LoCoMo, rules only.

In: the data folder and an embedder. Out: `kept`, the share of the gold answers' content words found in the text of the ten best cards, relative to
the full store, beside frac@10 by id and gold@800; `fidelity` of what was rewritten; the same for the baselines, which get the same characters. A
refined memory is found by its original words; `reindexed` is the same with an index made of the shortened
words instead, for ours and for the best of the baselines. LoCoMo is measured only: nothing here was fitted to its questions.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from bench import data
from bench.baselines import plain, pruning
from bench.data import Question, Set
from bench.memories import Filled
from bench.metrics import idf, survives
from zeromem import Settings
from zeromem.ports import Embedder
from zeromem.refinements import Refined
from zeromem.text.atoms import atoms
from zeromem.text.tokens import count
from zeromem.text.words import content, fold, terms

SHARES = (0.7, 0.5, 0.3)
BUDGET = 800
Texts = dict[str, str]
Found = Mapping[str, Sequence[str]]


class Store:
    """A filled memory laid out: cards by scope, the cards that each question finds, and what its answer says."""

    def __init__(self, held: Set, answers: Mapping[str, str], filled: Filled) -> None:
        filled.add_all(held.turns)
        self.filled, self.held = filled, held
        self._kept_house(0)  # what moves between the tiers is another matter
        self.cards = {scope: list(filled.memory.list(user=scope, limit=100_000)) for scope in held.turns}
        self.sources = {card.id: frozenset(filled.sources(card)) for cards in self.cards.values() for card in cards}
        self.found = self._found()
        self.texts: Texts = {card.id: card.text for cards in self.cards.values() for card in cards}
        self.turns = {scope: {turn.id: turn.text for turn in turns} for scope, turns in held.turns.items()}
        self.weights = {scope: idf(turns.values()) for scope, turns in self.turns.items()}
        self.questions = [question for question in held.questions if answers.get(question.id)]
        self.answers = {q.id: set(content(terms(answers[q.id]))) for q in self.questions}
        self.heads = {card.id: f"[{card.at[:10]}] {card.speaker}: " for cards in self.cards.values() for card in cards}

    def _kept_house(self, storage: float) -> list[Refined]:
        return [
            one
            for scope, turns in self.held.turns.items()
            for one in self.filled.memory.maintain(user=scope, storage=storage, at=max(t.time for t in turns)).refined
        ]

    def _found(self) -> Found:
        return {q.id: [hit.card.id for hit in self.filled.search(q, 200)] for q in self.held.questions}

    def refined(self, share: float) -> tuple[Texts, Found, list[Refined]]:
        """What search can show when upkeep has brought every scope to a share of its characters (nothing of what another memory says, or of what
        rests), what each question finds then, and what upkeep did."""
        done = self._kept_house(share)
        rows = {card.row: card.id for cards in self.cards.values() for card in cards}
        held = self.filled.memory._store.refined(list(rows))
        texts = dict(self.texts) | {rows[row]: how.text or "" for row, how in held.items()}
        return texts, self._found(), done

    def said(self, texts: Texts, found: Mapping[str, Sequence[str]] | None = None) -> float:
        """The mean share of an answer's content words in the ten best cards."""
        words = {id_: set(terms(text)) for id_, text in texts.items()}
        found = found or self.found
        return fmean(
            len(self.answers[q.id] & set().union(*(words[id_] for id_ in found[q.id][:10]))) / len(self.answers[q.id])
            for q in self.questions
        )

    def figures(self, texts: Texts, found: Found | None = None) -> dict[str, float]:
        """Everything about one state of the store."""
        full = sum(map(len, self.texts.values()))
        tokens = {id_: count(f"{self.heads[id_]}{text}\n") for id_, text in texts.items()}
        rows = [self._window(question, texts, tokens, found or self.found) for question in self.questions]
        return {
            "kept": round(self.said(texts, found) / self.said(self.texts), 4),
            "storage": round(sum(map(len, texts.values())) / full, 4),
            "tokens": round(sum(map(count, texts.values())) / sum(map(count, self.texts.values())), 4),
            "gold@800": round(fmean(row[0] for row in rows), 4),
            "gold_whole@800": round(fmean(row[1] for row in rows), 4),
        }

    def _window(self, question: Question, texts: Texts, tokens: Mapping[str, int], found: Found) -> tuple[float, float]:
        """The share of gold turns whose card is in a window filled in the order of the search; and that stand there with all their atoms and
        70 % of their words by weight."""
        order = [id_ for id_ in found[question.id] if texts[id_]]
        shown = [order[i] for i in plain.filled(range(len(order)), [tokens[id_] for id_ in order], BUDGET)]
        held = {turn: texts[id_] for id_ in shown for turn in self.sources[id_]}
        turns, weights = self.turns[question.conversation], self.weights[question.conversation]
        whole = [id_ in held and survives(held[id_], turns[id_], weights) for id_ in question.turns]
        return fmean(id_ in held for id_ in question.turns), fmean(whole)


def rare(texts: Sequence[str]) -> dict[str, float]:
    """How rare each word of a scope is, from .02 to 1."""
    counts = Counter(word for text in texts for word in set(terms(text)))
    return {word: max(0.02, math.log((len(texts) + 1) / n) / math.log(len(texts) + 1)) for word, n in counts.items()}


def fidelity(store: Store, texts: Texts) -> dict[str, float]:
    """Over all rewritten cards: hard atoms that stand in the text, other atoms that do, and atoms that stand one pointer away only."""
    hard: list[bool] = []
    soft: list[bool] = []
    for id_, text in texts.items():
        if text == store.texts[id_] or not text:
            continue
        said = fold(text)
        for atom in atoms(store.texts[id_]):
            (hard if atom.hard else soft).append(fold(atom.text) in said)
    return {"hard": round(fmean(hard), 4), "soft": round(fmean(soft), 4), "demoted": round(1 - fmean([*hard, *soft]), 4),
            "hard_n": len(hard), "soft_n": len(soft)}  # fmt: skip


def measure(folder: Path, embedder: Embedder | None, limit: int | None) -> dict[str, Any]:
    """All figures, ours and the baselines'. Not `reindexed` with e5, which would have to embed 17,000 texts."""
    reindex = embedder is None or embedder.name != "e5"
    held = data.load(folder, "locomo", limit)
    answers = {row["question_id"]: str(row["answer"] or "") for row in data.rows(folder, "locomo", "questions")}
    kept: dict[str, dict[str, float]] = {}
    loyal: dict[str, dict[str, float]] = {}
    again: dict[str, dict[str, float]] = {}
    baselines: dict[str, dict[str, dict[str, float]]] = {}
    with Filled(embedder, settings=Settings(raw_turns=0, summaries=False)) as filled:
        store = Store(held, answers, filled)
        for share in SHARES:
            name = f"{share:.0%}".rstrip("%")
            texts, found, done = store.refined(share)
            made = {op: sum(one.made.get(op, 0) for one in done) for op in ("shorten", "merge", "inside", "rest")}
            refused = sum(len(one.refused) for one in done)
            kept[name] = {**store.figures(texts, found), "frac@10": _by_id(store, found), "refused": refused, **made}
            loyal[name] = fidelity(store, texts)
            print(f"  {name} %: {kept[name]}", file=sys.stderr)
            for title, prune in pruning.PRUNERS.items():
                pruned = _pruned(store, prune, share, embedder)
                baselines.setdefault(title, {})[name] = store.figures(pruned)
                if reindex and title == "words":
                    again.setdefault("words", {})[name] = _again(store, held, pruned, embedder)
            if reindex:
                again.setdefault("zeromem", {})[name] = _again(store, held, texts, embedder)
        full = {
            **store.figures(store.texts),
            "answers": round(store.said(store.texts), 4),
            "frac@10": _by_id(store, store.found),
        }
    return {
        "dataset": "locomo", "n": len(store.questions), "embedder": embedder.name if embedder else "none", "cards": len(store.texts),
        "full": full, "kept": {name: row["kept"] for name, row in kept.items()},
        "refined": kept, "fidelity": loyal, "baselines": baselines, "reindexed": again,
    }  # fmt: skip


def _by_id(store: Store, found: Found) -> float:
    """frac@10 by id: the share of the gold turns whose card is among the ten best."""
    rows = []
    for question in store.questions:
        shown = {turn for id_ in found[question.id][:10] for turn in store.sources[id_]}
        rows.append(fmean(turn in shown for turn in question.turns))
    return round(fmean(rows), 4)


def _pruned(store: Store, prune: Callable[..., list[str]], share: float, embedder: Embedder | None) -> Texts:
    out: Texts = {}
    for cards in store.cards.values():
        texts = [card.text for card in cards]
        said = [f"{card.speaker}: {card.text}" for card in cards]
        kept = prune(
            texts, share * sum(map(len, texts)), (lambda said=said: embedder.passages(said)) if embedder else None
        )
        out.update(zip((card.id for card in cards), kept, strict=True))
    return out


def _again(store: Store, held: Set, texts: Texts, embedder: Embedder | None) -> float:
    """`kept` where the index is made of the shortened words: the same turns added with these texts, asked anew."""
    with Filled(embedder) as filled:
        for scope, cards in store.cards.items():
            for card in cards:
                if texts[card.id].strip():
                    message = {"role": card.role, "content": texts[card.id], "name": card.speaker}
                    filled.memory.add(
                        message, at=card.at, user=scope, session=card.scope.session, metadata={"card": card.id}
                    )
        filled.memory.embed_pending()
        found = {}
        for question in held.questions:
            hits = filled.search(question, 10)
            found[question.id] = [str(hit.card.metadata["card"]) for hit in hits]
    return round(store.said(texts, found) / store.said(store.texts), 4)
