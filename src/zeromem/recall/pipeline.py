"""The two stage lists, how a recall begins, and what it ends in.

In: an open memory's parts, the question and its options. Out: `Hits` for a search, a `Context` for a recall. This is where the
snapshot is taken, pending cards are embedded, and the cards that the caller may not or need not see are masked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zeromem.asking import Options
from zeromem.context import FRAME_TOKENS, citations, render, total
from zeromem.errors import EmbedderMismatch, StoreBusy, StoreError
from zeromem.ids import new_id
from zeromem.maintain.embed import Embedding
from zeromem.plural import counted
from zeromem.ports import Store
from zeromem.recall.beware import beware
from zeromem.recall.compress import compress
from zeromem.recall.derived import derived
from zeromem.recall.fuse import arm_scores, fuse
from zeromem.recall.gate import score_gate, word_gate
from zeromem.recall.newest import HEAD, newest
from zeromem.recall.propose import propose
from zeromem.recall.select import select
from zeromem.recall.showing import allowed, believed, known, window
from zeromem.recall.state import OUTDATED, Recall, Stage
from zeromem.recall.understand import understand
from zeromem.recall.was import was
from zeromem.recall.weights import background
from zeromem.refinements import refined
from zeromem.structures.cache import Snapshots
from zeromem.structures.snapshot import Snapshot, Space
from zeromem.text.tokens import Counter
from zeromem.types import Card, Context, Hit, Hits

_CHUNK = 2000
_TOLD, _HEAD = 20, 80  # candidates in the trace, and characters of their text
_SHORT, _SPARE = 16, 12  # tokens of a short line; cards read beside those that could fit


@dataclass(frozen=True, slots=True)
class Sources:
    """Where a recall reads: the store, its snapshots, the embedder's standing, and how much it may embed itself."""

    store: Store
    snapshots: Snapshots
    embedding: Embedding
    embed_on_recall: int
    frame_tokens: int = FRAME_TOKENS
    count: Counter | None = None  # of another tokenizer than o200k

    def fetch(self, snapshot: Snapshot, positions: Sequence[int]) -> Mapping[int, Card]:
        """Cards by position, in the words that upkeep left them."""
        rows = {int(snapshot.columns.rows[position]): position for position in positions}
        found = self.store.cards(list(rows))
        if snapshot.marker[5]:
            found.update((row, refined(found[row], how)) for row, how in self.store.refined(list(rows)).items())
        return {rows[row]: card for row, card in found.items()}

    def space(self) -> Space:
        embedder = self.embedding.embedder
        if embedder is None:
            return Space()
        return Space(self.embedding.id(), embedder.dimension, background(embedder.name))

    def snapshot(self, asked: Options) -> Snapshot:
        """The scope as of now, its newest pending cards embedded first."""
        embedding = self.embedding
        snapshot = self.snapshots.get(asked.scope, self.space())
        waiting = snapshot.living - int(np.count_nonzero(snapshot.embedded & snapshot.alive))
        if not waiting or embedding.embedder is None or embedding.mismatch() or "dense" not in asked.arms:
            return snapshot
        try:
            embedding.some(asked.scope.without_session(), self.embed_on_recall)
        except (
            StoreBusy,
            StoreError,
            EmbedderMismatch,
        ):  # a locked or read-only file: what has vectors is searched by them
            return snapshot
        # Also when there was nothing left to do: the background thread may just have done it.
        return self.snapshots.get(asked.scope, self.space())


def begin(
    sources: Sources,
    query: str,
    asked: Options,
    *,
    most: int = 0,
    budget: int = 0,
    lean: bool = False,
    said: Sequence[bytes] = (),
    deep: bool = False,
) -> Recall:
    """The state before the first stage. A search names `most`; a recall has a budget, and leaves the caller's window out; `deep`: rest ends."""
    snapshot, embedding, embedder = sources.snapshot(asked), sources.embedding, sources.embedding.embedder
    usable = embedder is not None and not embedding.mismatch()
    then = known(sources.store, snapshot, asked)
    facts, outdated = believed(sources.store, snapshot, asked, then)
    held = np.zeros(len(snapshot), np.bool_)
    then[snapshot.positions([] if deep else snapshot.resting)] = False
    if not most:
        held[window(sources.store, snapshot, asked, said)] = True
    shown = allowed(sources.store, snapshot, asked, facts) & then & ~held
    return Recall(
        query=query,
        now=asked.now,
        snapshot=snapshot,
        allowed=shown & (outdated < OUTDATED) if asked.current else shown,
        held=held,
        fetch=lambda positions: sources.fetch(snapshot, positions),
        stands_on=sources.store.stands_on,
        single=bool(asked.current) or (not most and asked.current is None),
        embed=embedder.query if usable and embedder else None,
        background=background(embedder.name) if embedder else None,
        embedder=embedder.name if embedder else "none",
        usual=embedder.usual if embedder else (0.0, 1.0),
        wanted=asked.arms,
        facts=facts,
        outdated=outdated,
        hide=not most and asked.current is None,
        filtered=asked.matches is not None,
        session=asked.scope.session,
        budget=budget,
        lean=lean,
        most=most or asked.most or len(snapshot),
        limit=most or asked.most or len(snapshot),
        pool=most or _SPARE + budget // _SHORT,
        frame_tokens=sources.frame_tokens,
        count=sources.count,
        clarify=asked.clarify,
        degraded=embedding.degraded() if "dense" in asked.arms else (),
    )


def fetch(recall: Recall) -> Recall:
    """Read the cards of the best candidates: as many as are asked for, or more than the budget could hold."""
    wanted = recall.ranked[: max(HEAD, min(recall.most, recall.pool))]
    recall = replace(recall, ranked=wanted, cards=recall.fetch(wanted), note=f"{counted(len(wanted), 'card')} read")
    # A search hands its candidates out as hits; a recall leaves them in its trace, for who asks why.
    told = [_candidate(recall, i) for i in wanted[:_TOLD] if i in recall.cards] if recall.budget else []
    return replace(recall, detail={"candidates": told})


def _candidate(recall: Recall, position: int) -> dict[str, Any]:
    card = recall.cards[position]
    score = 0.0 if recall.scores is None else round(float(recall.scores[position]), 3)
    arms = {arm: round(value, 3) for arm, value in arm_scores(recall, position).items()}
    return {"pointer": card.pointer, "id": card.id, "score": score, "arms": arms, "text": card.text[:_HEAD]}


SEARCH: Sequence[Stage] = (understand, propose, fuse, fetch, derived, newest, was)
RECALL: Sequence[Stage] = (
    word_gate,
    understand,
    propose,
    fuse,
    fetch,
    derived,
    newest,
    was,
    beware,
    score_gate,
    select,
    compress,
)


def hits_of(recall: Recall) -> Hits:
    """The end of a search."""
    by = _overtaken(recall)
    hits = [
        Hit(recall.cards[i], float(recall.scores[i]), arm_scores(recall, i), by.get(i))
        for i in recall.ranked[: recall.most]
        if recall.scores is not None and i in recall.cards
    ]
    times = tuple(span.text for span in recall.question.times) if recall.question else ()
    near = recall.arms.get("time", {}).get("near")
    match = None if near is None else any(near[recall.snapshot.line.place[i]] >= 1 for i in recall.ranked)
    return Hits(hits, degraded=recall.degraded, times=times, time_match=match, trace=recall.trace)


def _overtaken(recall: Recall) -> dict[int, str]:
    """By position, the pointer of the card that overtook each one that no longer holds."""
    rows = recall.snapshot.columns.rows
    by = {
        i: row for i in recall.ranked if recall.past(i) and (row := recall.facts.overtaken_by(int(rows[i]))) is not None
    }
    places = {int(rows[p]): int(p) for p in recall.snapshot.positions(sorted(set(by.values())))}
    cards = recall.fetch(list(places.values()))
    return {i: cards[places[row]].pointer for i, row in by.items() if row in places}


def context_of(recall: Recall, now: int) -> Context:
    """The end of a recall: the block, its exact count, and the reason where there is none."""
    chosen = () if recall.silent else recall.chosen
    tokens = total(chosen, recall.frame_tokens)
    dropped = [recall.cards[position].pointer for position, _ in recall.dropped if position in recall.cards]
    return Context(
        id=new_id("x", now),
        text=render(chosen),
        tokens=tokens,
        budget=recall.budget,
        cards=tuple(item.card for item in chosen),
        citations=citations(chosen),
        dropped=tuple(dropped),
        trace=recall.trace,
        reason=recall.silent or f"{counted(len(chosen), 'memory')}, {tokens} of {recall.budget} tokens",
        degraded=recall.degraded,
        full_tokens=recall.snapshot.total_tokens,
        clarifications=() if recall.silent else recall.clarifications,
    )
