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
from zeromem.facts import USER, FactRow
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
from zeromem.recall.relations import chains
from zeromem.recall.select import select
from zeromem.recall.state import OUTDATED, Recall, Stage
from zeromem.recall.understand import asker, understand
from zeromem.recall.weights import background
from zeromem.refinements import refined
from zeromem.route import about
from zeromem.structures.cache import Snapshots
from zeromem.structures.facts import FactBook, grow
from zeromem.structures.snapshot import Bools, Floats, Longs, Snapshot, Space
from zeromem.text.tokens import Counter
from zeromem.text.words import terms
from zeromem.types import Card, Context, Hit, Hits, Scope

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
    """The state before the first stage. A search names `most`; a recall has a budget, and leaves the caller's window out. `deep`: what
    rests may answer too."""
    snapshot = sources.snapshot(asked)
    embedding = sources.embedding
    embedder = embedding.embedder
    usable = embedder is not None and not embedding.mismatch()
    known = _known(sources, snapshot, asked)
    facts, outdated = _believed(sources, snapshot, asked, known)
    held = np.zeros(len(snapshot), np.bool_)
    if not deep:
        known[snapshot.positions(snapshot.resting)] = False
    if not most:
        held[_window(sources.store, snapshot, asked, said)] = True
    return Recall(
        query=query,
        now=asked.now,
        snapshot=snapshot,
        allowed=_allowed(sources, snapshot, asked, facts)
        & known
        & ~held
        & (outdated < OUTDATED if asked.current else True),
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


def _known(sources: Sources, snapshot: Snapshot, asked: Options) -> Bools:
    """The cards that were known at the moment asked for."""
    if asked.known_at is None:
        return np.ones(len(snapshot), np.bool_)
    known = np.zeros(len(snapshot), np.bool_)
    known[snapshot.positions(sources.store.known_rows(asked.scope.without_session(), asked.known_at))] = True
    return known


def _believed(sources: Sources, snapshot: Snapshot, asked: Options, known: Bools) -> tuple[FactBook, Floats]:
    """The facts as they stand, or as they stood at the moment asked for, and how far each card is outdated by them."""
    if asked.as_of is None and asked.known_at is None:
        return snapshot.facts, snapshot.outdated
    rows = {int(row) for row in snapshot.columns.rows[known]}
    then = [fact for row, some in snapshot.facts.rows.items() if row in rows for fact in some]
    if asked.known_at is not None:
        then = sources.store.facts_of_rows(sorted({fact.row for fact in then}), asked.known_at)
    if asked.as_of is not None:
        then = [told for fact in then if (told := fact.until(asked.as_of)) is not None]
    book, weighed = grow(FactBook(), then, ())
    outdated = np.zeros(len(snapshot), np.float32)
    outdated[snapshot.positions(sorted(weighed))] = [book.outdated(row) for row in sorted(weighed)]
    return book, outdated


def _allowed(sources: Sources, snapshot: Snapshot, asked: Options, facts: FactBook) -> Bools:
    """Which cards may be shown: living ones that no condition takes out."""
    columns = snapshot.columns
    allowed = snapshot.alive.copy()
    if asked.within_session:
        allowed &= _told_in(sources, snapshot, asked.scope)
    if asked.exclude_session is not None:
        allowed &= ~_told_in(sources, snapshot, replace(asked.scope, session=asked.exclude_session))
    if asked.after is not None:
        allowed &= columns.at >= asked.after
    if asked.before is not None:
        allowed &= columns.at < asked.before
    if asked.as_of is not None:
        told = columns.at <= asked.as_of
        told[snapshot.positions(list(facts.rows))] = True  # also what was said before in words that came late
        allowed &= told
    if asked.subject is not None:
        allowed &= _spoken_of(sources, snapshot, asked.subject, facts)
    if asked.matches is not None:
        allowed = _filtered(sources, snapshot, asked, allowed)
    return allowed


def _spoken_of(sources: Sources, snapshot: Snapshot, subject: str, facts: FactBook) -> Bools:
    """Cards that state something of a subject ("Ben", "Ana's brother"), or that it said itself."""

    def clause(fact: FactRow) -> str:
        card = sources.store.cards([fact.row]).get(fact.row)
        return "" if card is None else card.text[fact.start : fact.end]

    words, columns = terms(subject), snapshot.columns
    followed = chains(facts, words, (USER, *asker(snapshot)), clause)
    names = {about(subject), *(name for chain in followed if chain.end == len(words) for name in chain.names)}
    codes = [code for speaker, code in snapshot.names.items() if about(speaker) in names]
    out = np.isin(columns.speaker, codes)
    if USER in names:
        out |= columns.role == snapshot.code(USER)
    rows = {fact.row for name in names for matter in facts.matters.get(name, ()) for fact in facts.groups[name, matter]}
    out[snapshot.positions(sorted(rows))] = True
    return np.asarray(out, np.bool_)


def _told_in(sources: Sources, snapshot: Snapshot, session: Scope) -> Bools:
    """Cards that the session says, whichever session said them first."""
    told = np.zeros(len(snapshot), np.bool_)
    told[snapshot.positions(sources.store.session_rows(session))] = True
    return told


def _window(store: Store, snapshot: Snapshot, asked: Options, said: Sequence[bytes]) -> Longs:
    """Positions of what the caller holds: the messages passed in, else the last turns of the named session."""
    if said:
        cards = list(store.same(said, asked.scope).values())
    elif asked.scope.session is not None and asked.window:
        events = store.session_events(asked.scope, asked.window)
        cards = [card for event in events for card in store.cards_of(event.id)]
    else:
        cards = []
    return snapshot.positions([card.row for card in cards])


def _filtered(sources: Sources, snapshot: Snapshot, asked: Options, allowed: Bools) -> Bools:
    out = np.zeros_like(allowed)
    positions = np.flatnonzero(allowed)
    for start in range(0, len(positions), _CHUNK):
        cards = sources.fetch(snapshot, [int(i) for i in positions[start : start + _CHUNK]])
        for position, card in cards.items():
            out[position] = asked.matches is None or asked.matches(card)
    return out


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


SEARCH: Sequence[Stage] = (understand, propose, fuse, fetch, derived, newest)
RECALL: Sequence[Stage] = (
    word_gate,
    understand,
    propose,
    fuse,
    fetch,
    derived,
    newest,
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
