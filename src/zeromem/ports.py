"""The only Protocols: what the flow needs from a store, an embedder, a chat model, a reranker and a clock.

Adapters (`store/`, `models/`) implement them; stages and the flow see nothing else. `Store` is small enough for a second
implementation; `tests/contract/` holds every implementation to the same behaviour. Methods that write are called inside
`write()`; a store raises the errors of `errors.py` and nothing of its driver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from zeromem.facts import FactRow
from zeromem.proposals import Quarantined, Verdict
from zeromem.refinements import Refinement
from zeromem.replies import Messages, Reply, Schema
from zeromem.types import Card, Event, Scope, Span

Vectors = npt.NDArray[np.float32]
Hashes = npt.NDArray[np.uint32]
Clock = Callable[[], int]  # microseconds since 1970 in UTC
Progress = Callable[[int, int], None]  # (done, total)
Op = Literal["add", "update", "delete", "restore"]
Order = Literal["time", "birth"]
# Newest card row, vector id, epoch, mark, event that says a card at another time, refinement.
Marker = tuple[int, int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A card version as the snapshot needs it; `hashes` is None where the version is not (or no longer) current."""

    row: int
    previous: int | None
    born: int
    session: str | None
    role: str
    speaker: str | None
    kind: str
    at: int
    tokens: int
    head_tokens: int
    hashes: bytes | None


@dataclass(frozen=True, slots=True)
class EmbedderInfo:
    """Which embedder made the stored vectors."""

    id: int
    name: str
    version: str
    dimension: int


@dataclass(frozen=True, slots=True)
class Recalled:
    """A recall that happened: what it cost, against what, and why it showed as much as it did."""

    id: str
    scope: Scope
    at: int
    tokens: int
    full_tokens: int
    cards: int
    reason: str


@dataclass(frozen=True, slots=True)
class Use:
    """One entry of the uses log: a card was shown, was used by the answer, or the whole recall had an outcome."""

    recall_id: str
    card_id: str | None
    version: int | None
    event: Literal["shown", "used", "outcome"]
    value: float
    why: str


@dataclass(frozen=True, slots=True)
class Retirement:
    """From when until when (None: still) a source no longer says an event."""

    event_id: str
    at: str
    reason: str
    returned: str | None


@dataclass(frozen=True, slots=True)
class Mark:
    """What was decided of a card beside its words: pinned, unpinned, or moved to a tier; when (microseconds), why and by whom."""

    card_id: str
    mark: Literal["pinned", "unpinned", "short", "long", "archive"]
    at: int
    why: str
    who: str


TIERS = ("short", "long", "archive")  # that a card is moved to


def archived(marks: Iterable[Mark]) -> bool:
    """Whether the last move of a card was into the archive."""
    found = [mark.mark for mark in marks if mark.mark in TIERS]
    return bool(found) and found[-1] == "archive"


def is_pinned(marks: Iterable[Mark]) -> bool:
    """Whether a card is pinned now."""
    found = [mark.mark for mark in marks if mark.mark in ("pinned", "unpinned")]
    return bool(found) and found[-1] == "pinned"


@dataclass(frozen=True, slots=True)
class Usage:
    """How often a card was said, shown by a recall and used by an answer; `last` is when it was last said or used, `heard` last said."""

    said: int = 1
    shown: int = 0
    used: int = 0
    last: int = 0
    heard: int = 0


@dataclass(frozen=True, slots=True)
class Retention:
    """For how many days memories of a kind ("*": of every kind) are kept in a scope, and what becomes of them then."""

    scope: Scope
    kind: str
    days: float
    action: Literal["archive", "delete", "forget"]


class Embedder(Protocol):
    """Turns texts into unit vectors.

    `usual` is the mean and the standard deviation of its cosines between a question and texts that do not answer it.
    """

    name: str
    version: str
    dimension: int
    usual: tuple[float, float]

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of stored texts, shape (len(texts), dimension), float32, rows of length 1."""
        ...

    def query(self, text: str) -> Vectors:
        """The vector of a question, shape (dimension,), float32, length 1."""
        ...


class Chat(Protocol):
    """A language model that answers messages. `model` names it; cards that it proposed say so."""

    model: str

    def chat(
        self,
        messages: Messages,
        *,
        schema: Schema | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        most: int = 1024,
        logprobs: int = 0,
        stream: Callable[[str], None] | None = None,
    ) -> Reply:
        """One answer of at most `most` tokens.

        `schema` is the JSON schema that the answer should fit (it need not: who asks, checks), `tools` are as OpenAI has them,
        `logprobs` asks for so many likeliest tokens at each place, `stream` gets the text piece by piece. Raises ChatFailed,
        ChatRefused, BudgetSpent.
        """
        ...


class Reranker(Protocol):
    """Judges how well texts answer a question."""

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """A score for each text, in their order; the higher the better."""
        ...


class Store(Protocol):
    """Events, card versions, their links and indexes, by scope. Scopes match by equality inside the store."""

    path: str
    warnings: tuple[str, ...]

    def write(self) -> AbstractContextManager[None]: ...
    def read(self) -> AbstractContextManager[None]: ...
    def close(self) -> None: ...
    def erase(self) -> None: ...
    def marker(self) -> Marker: ...
    def next_epoch(self) -> None: ...
    def scopes(self) -> list[Scope]: ...

    # events: appended, never changed; retired ones are no longer said by their source
    def add_event(self, event: Event) -> None: ...
    def events(self, ids: Sequence[str]) -> list[Event]: ...
    def all_events(self, scope: Scope | None, spoilt: list[str] | None = None) -> Iterator[Event]: ...
    def session_events(self, scope: Scope, limit: int | None) -> list[Event]: ...
    def source_parts(self, source_id: str, scope: Scope) -> list[str]: ...  # it, and what an import of it added later
    def source_events(self, source_id: str, scope: Scope) -> list[Event]: ...
    def retire(self, event_ids: Iterable[str], at: str, reason: str) -> None: ...
    def unretire(self, event_ids: Iterable[str], at: str) -> None: ...
    def retired(self, scope: Scope | None) -> list[tuple[str, str, str]]: ...
    def retirements(self, scope: Scope | None) -> list[Retirement]: ...
    def events_stored(self, scope: Scope, first: int, last: int | None = None) -> list[str]: ...  # no edits
    def orphans(self, event_ids: Sequence[str]) -> list[Card]: ...  # cards that no event says any more
    def deleted_hashes(self, event_ids: Sequence[str]) -> set[bytes]: ...  # digests of what deleted cards of them said
    def said_spans(self, event_ids: Sequence[str]) -> set[tuple[str, int, int]]: ...  # what current cards were made of

    # cards: a row is a version; `replaces` names the row that the new one takes the place of
    def add_version(self, card: Card, op: Op, reason: str, digest: bytes, *, replaces: int | None = None) -> Card: ...
    def card(self, id_: str) -> tuple[Card, Op] | None: ...
    def versions(self, id_: str) -> list[tuple[Card, Op, str]]: ...
    def cards(self, rows: Sequence[int]) -> dict[int, Card]: ...
    def same(self, digests: Sequence[bytes], scope: Scope) -> dict[bytes, Card]: ...
    def cards_after(self, scope: Scope, order: Order, after: tuple[int, int], limit: int) -> list[Card]: ...
    def session_rows(self, scope: Scope) -> list[int]: ...  # rows of the current cards that the scope's session says
    def said_in(self, card_ids: Sequence[str]) -> list[tuple[str, str, str | None]]: ...  # card, event, its session
    def all_versions(
        self, scope: Scope | None, spoilt: list[str] | None = None
    ) -> Iterator[tuple[Card, int | None, Op, str, bytes]]: ...
    def link(self, card_id: str, event_id: str, start: int, end: int) -> None: ...
    def spans(self, card_id: str) -> list[Span]: ...
    def all_links(self, scope: Scope | None) -> Iterator[tuple[str, str, int, int]]: ...
    def cards_of(self, event_id: str) -> list[Card]: ...
    def claim_pointer(self, stems: Sequence[str], scope: Scope, card_id: str) -> str: ...
    def keep_pointer(self, pointer: str, scope: Scope, card_id: str) -> bool: ...
    def pointed(self, pointer: str, scope: Scope | None) -> list[str]: ...

    # moments, in microseconds: `first` and `last` are inside
    def changed_cards(self, scope: Scope, first: int, last: int | None = None) -> list[str]: ...
    def last_change(self, scope: Scope) -> int | None: ...  # more than adding, or saying again
    def last_moment(self) -> int: ...

    # erasing: rows for good, inside `write`; then `scrub` outside of it takes their bytes out of the file, or raises StoreBusy
    def source_story(
        self, source_id: str, scope: Scope
    ) -> list[str]: ...  # ids of all its events, retired ones and edits too
    def linked_cards(self, event_ids: Sequence[str]) -> list[str]: ...  # ids, deleted ones too
    def erase_cards(self, ids: Sequence[str]) -> dict[str, int]: ...  # rows by table
    def erase_events(self, ids: Sequence[str]) -> dict[str, int]: ...
    def erase_recalls(self, scope: Scope) -> int: ...
    def set_versions(self, versions: Sequence[tuple[Card, Op, str, bytes]]) -> None: ...
    def mark_forgotten(self, cards: Iterable[tuple[str, Scope]], at: str) -> None: ...
    def forgotten(self, card_id: str) -> tuple[Scope, str] | None: ...
    def mark_erased(self, ids: Iterable[str]) -> None: ...  # events and cards of which something was forgotten
    def erased(self, ids: Sequence[str]) -> set[str]: ...  # those of them that were
    def spend(self, card_ids: Sequence[str]) -> None: ...  # their pointers are never given to another card
    def erasing(self) -> int | None: ...  # the epoch of an erasure that `scrub` has still to finish
    def scrub(self, patience: float | None = None) -> bool: ...
    def images(self) -> dict[str, bytes]: ...  # what lies in its files; raises StoreError where that cannot be had
    def contents(self) -> Iterator[bytes]: ...  # the bytes that rightly do

    # indexes: derived from current cards
    def put_terms(self, row: int, hashes: bytes) -> None: ...
    def index_rows(self, scope: Scope, after: int) -> Iterator[IndexRow]: ...
    def vector_rows(self, scope: Scope, embedder: int, after: int) -> Iterator[tuple[int, int, bytes]]: ...
    def pending(self, scope: Scope | None, limit: int) -> list[Card]: ...
    def count_pending(self, scope: Scope | None) -> int: ...
    def put_vectors(self, embedder: int, rows: Sequence[int], vectors: Vectors) -> None: ...
    def copy_vector(self, old: int, new: int) -> None: ...
    def clear_vectors(self) -> None: ...
    def embedder(self) -> EmbedderInfo | None: ...
    def add_embedder(self, name: str, version: str, dimension: int) -> EmbedderInfo: ...
    def all_pointers(self) -> Iterator[tuple[tuple[str, str, str, int], str]]: ...  # stem, owner, tenant, number; card
    def set_pointer(self, key: tuple[str, str, str, int], card_id: str | None) -> None: ...
    def set_derived(self, card: Card, digest: bytes) -> None: ...
    def lenient(self) -> AbstractContextManager[None]: ...
    def problems(self) -> dict[str, list[int | str]]: ...
    def index_of(self, row: int) -> bytes | None: ...
    def drop_index(self, row: int) -> None: ...

    # facts: what a card version states; they go and come with it
    def add_facts(self, row: int, facts: Sequence[FactRow]) -> None: ...
    def facts_after(self, scope: Scope | None, after: int) -> Iterator[FactRow]: ...
    def facts_under(self, scope: Scope, slot: str, about: str) -> list[FactRow]: ...

    def facts_on(self, scope: Scope, matter: str, about: str | None) -> list[FactRow]: ...
    def facts_of_rows(self, rows: Sequence[int], known_at: int | None = None) -> list[FactRow]: ...  # as told by then
    def retold_rows(self, scope: Scope, after: int) -> list[int]: ...  # newest versions said again since; see Marker
    def known_rows(self, scope: Scope, at: int) -> list[int]: ...  # the versions that were current at a moment
    def drop_facts(self, row: int) -> None: ...

    # marks: what upkeep and the user decided of cards; never changed, the last of a sort counts
    def add_marks(self, marks: Iterable[Mark]) -> None: ...
    def marks_of(self, card_ids: Sequence[str]) -> dict[str, list[Mark]]: ...  # by card, in the order they were made
    def withdrawn(self, digests: Sequence[bytes], scope: Scope) -> dict[bytes, str]: ...  # cards their source took back
    def marks_after(
        self, scope: Scope, after: int
    ) -> Iterator[tuple[int, str]]: ...  # the card's row of birth, and the mark
    def usage(self, card_ids: Sequence[str]) -> dict[str, Usage]: ...
    def retentions(self) -> list[Retention]: ...
    def set_retention(self, scope: Scope, kind: str, days: float | None, action: str) -> None: ...  # None: no longer

    # refinements lie over card versions; the last of a version counts
    def refine(
        self, made: Sequence[Refinement], at: int, change: int = 0
    ) -> int: ...  # a change, or more of one; its number
    def left_alone(self, rows: Sequence[int]) -> set[int]: ...  # those that a hand wants as they were said
    def refined(self, rows: Sequence[int]) -> dict[int, Refinement]: ...  # as they stand
    def refinements_of(self, card_id: str) -> list[Refinement]: ...  # all of them, of all versions, oldest first
    def refinements_after(
        self, scope: Scope, after: int
    ) -> Iterator[tuple[int, int | None]]: ...  # version, and which one says its words too
    def change_rows(self, change: int, scope: Scope | None) -> list[int] | None: ...  # where it stands; None: unknown
    def unrefine(
        self, rows: Sequence[int], at: int, why: str, made_by: str
    ) -> int: ...  # these, and what was joined with them
    def derived(self, card_id: str) -> list[Card]: ...  # made of other cards, of the same words as this one
    def sessions(
        self, scope: Scope
    ) -> list[tuple[str, int, int, int, int]]: ...  # name, own cards, their tokens, sum of rows, last heard
    def cards_of_kind(self, scope: Scope, kind: str) -> list[Card]: ...
    def deleted_of_kind(self, scope: Scope, kind: str) -> set[str | None]: ...  # sessions whose card a hand deleted
    def storage(self, scope: Scope | None) -> tuple[int, int]: ...  # characters of current cards: said, shown
    # what a model read and proposed; see `proposals.py`. `reader` is a prompt with its hash and the model
    def unread(
        self, scope: Scope, reader: str, after: int, limit: int
    ) -> list[tuple[int, Event, int]]: ...  # place, failed times
    def read_by(self, reader: str, event_ids: Sequence[str], state: str, at: int) -> None: ...
    def quarantine(self, entry: Quarantined) -> None: ...
    def quarantined(self, scope: Scope | None, verdict: Verdict | None = None) -> list[Quarantined]: ...
    def decide(self, id_: str, verdict: Verdict, at: int) -> None: ...
    def derived_alone(self, card_id: str) -> list[Card]: ...  # derived cards that no other current card supports
    def unread_again(self, card_ids: Sequence[str]) -> None: ...
    def stands_on(self, card_ids: Sequence[str]) -> dict[str, list[int]]: ...  # rows of current cards of the same words

    # uses
    def add_recalls(self, recalls: Sequence[Recalled], uses: Sequence[Use], at: int) -> None: ...
    def recall(self, id_: str, scope: Scope | None) -> list[Use] | None: ...
    def confirmed(
        self, card_ids: Sequence[str]
    ) -> dict[tuple[str, int], int]: ...  # by card and version: used, with success
    def figures(self, scope: Scope | None) -> dict[str, float | None]: ...
