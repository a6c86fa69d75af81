"""What the stages of a recall hand on to each other, and the loop that runs them.

In: a `Recall` with the question, the scope's snapshot and two ports (fetch cards, embed the question). Out: the same with
more filled in. A stage is a function from Recall to Recall; a stage list may be changed by passing another one. Each stage
leaves one trace record. A stage that sets `silent` ends the recall with nothing, and says why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from zeromem.facts import Clarification
from zeromem.ports import Vectors
from zeromem.structures.background import Background
from zeromem.structures.facts import FactBook
from zeromem.structures.snapshot import Bools, Snapshot
from zeromem.text.times import TimeSpan
from zeromem.text.tokens import Counter
from zeromem.types import Card, TraceRecord

OUTDATED = 0.5  # share of a card's text, from which it as a whole says what no longer holds
Scores = npt.NDArray[np.float32]
Fetch = Callable[[Sequence[int]], Mapping[int, Card]]
Note = tuple[str, int]  # a line under a card, and its tokens
Embed = Callable[[str], Vectors]


@dataclass(frozen=True, slots=True)
class Question:
    """The question understood: terms with weights, and what it names. `words` are all its terms, `terms` those of topic."""

    text: str
    words: tuple[str, ...]
    terms: tuple[str, ...]
    hashes: tuple[int, ...]
    weights: tuple[float, ...]
    language: str
    names: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    times: tuple[TimeSpan, ...] = ()
    wide: bool = False  # asks for a list, a count, or everything about something
    overview: bool = False  # asks what something comes to as a whole
    personal: bool = False  # asks about the one who speaks
    open: bool = False  # has no topic, only a time or the one who asks
    bare: bool = False  # asks for values of slots of facts and nothing else
    lists: bool = False  # and for all of them
    past: bool = False  # asks how things were
    recap: bool = False  # asks for an overview and names no topic: of the last session, or of a time
    me: tuple[str, ...] = ()  # the names of the one who asks, as subjects
    steps: int = 0  # relations that were followed ("Ana's brother")
    whom: tuple[
        tuple[str, tuple[str, ...]], ...
    ] = ()  # whom it is about, as `FactRow.about` has them, and in which slots of facts


@dataclass(frozen=True, slots=True)
class Danger:
    """What somebody must not have: the newest card that says so, the thing, the characters of its clause, and the rows of all such cards."""

    position: int
    value: str
    clause: tuple[int, int]
    rows: frozenset[int]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A card for the context: whole, or (where `parts` is given) only those sentences of `card.parts`, within `room` tokens."""

    card: Card
    score: float
    parts: tuple[int, ...] | None = None
    room: int = 0
    keep: tuple[int, int] = (0, 0)  # characters that a shortened card must not lose
    notes: tuple[Note, ...] = ()  # lines under it


@dataclass(frozen=True, slots=True)
class Recall:
    """The state of one recall. `arms` holds features over the snapshot's line; `scores`, `ranked` and `cards` are by position."""

    query: str
    now: datetime  # at the offset of the question
    snapshot: Snapshot
    allowed: Bools
    held: Bools  # what the caller holds already, so that it is not shown again
    fetch: Fetch
    embed: Embed | None
    stands_on: Callable[[Sequence[str]], Mapping[str, Sequence[int]]] = (
        lambda _: {}
    )  # rows of what derived cards are from
    background: Background | None = None
    embedder: str = "none"  # whose weights apply
    usual: tuple[float, float] = (0.0, 1.0)  # see ports.Embedder
    wanted: tuple[str, ...] = ()  # arms to ask
    facts: FactBook = field(default_factory=FactBook)  # as they stand, or stood at the moment asked for
    outdated: Scores = field(default_factory=lambda: np.empty(0, np.float32))  # by position, see FactBook.outdated
    single: bool = False  # nothing is shown beside what was derived from it
    hide: bool = False  # leave out what no longer holds, unless the question asks how things were
    filtered: bool = False  # by a filter of the caller's
    session: str | None = None  # of the caller, now
    budget: int = 0
    lean: bool = False  # as few cards as the question needs, rather than all that fit
    most: int = 0  # cards wanted: k of a search, or what the gate allows
    limit: int = 0  # cards that the caller wants at most
    pool: int = 0  # cards that are read: k of a search, or more than the budget could hold
    frame_tokens: int = 0
    count: Counter | None = None  # counts notes; None: o200k, whose counts are known
    clarify: bool = True  # whether a doubt about what is asked may be put to the agent
    question: Question | None = None
    arms: Mapping[str, Mapping[str, Scores]] = field(default_factory=dict)
    scores: Scores | None = None
    lifted: Scores | None = None  # by position: what of the score is for stating what is asked for
    ranked: tuple[int, ...] = ()  # positions, best first
    led: int = 0  # of them the first, which state how it was, where that is asked for
    hidden: int = 0  # candidates among what the caller holds
    cards: Mapping[int, Card] = field(default_factory=dict)  # by position
    dangers: tuple[Danger, ...] = ()  # what those whom the question is about must not have
    urgent: tuple[Danger, ...] = ()  # of them what the question itself names
    chosen: tuple[Chosen, ...] = ()
    dropped: tuple[tuple[int, str], ...] = ()  # position and why
    clarifications: tuple[Clarification, ...] = ()
    silent: str = ""
    degraded: tuple[str, ...] = ()
    note: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
    trace: tuple[TraceRecord, ...] = ()

    def past(self, position: int) -> bool:
        """Whether a card as a whole says what no longer holds."""
        return bool(self.outdated[position] >= OUTDATED)

    def counted(self) -> int:
        """How many cards are in play: chosen, ranked, or all allowed ones."""
        if self.silent:
            return 0
        return len(self.chosen) or len(self.ranked) or int(self.allowed.sum())


Stage = Callable[[Recall], Recall]


def run(stages: Sequence[Stage], recall: Recall) -> Recall:
    """Run the stages in order, with one trace record each; stop at the first that goes silent."""
    for stage in stages:
        before, started = recall.counted(), time.perf_counter()
        recall = stage(replace(recall, note="", detail={}))
        took = (time.perf_counter() - started) * 1000
        name = getattr(stage, "__name__", type(stage).__name__)
        record = TraceRecord(name, before, recall.counted(), recall.note, round(took, 3), recall.detail)
        recall = replace(recall, trace=(*recall.trace, record))
        if recall.silent:
            break
    return recall
