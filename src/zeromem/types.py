"""The values that zeromem hands out and passes around: frozen, slotted, without behaviour beyond reading.

Times are ISO 8601 strings with offset: `at` with the one it came with (`2026-07-25T10:00:00+08:00`), when we stored something in UTC.
Ids are opaque strings, pointers the short readable handles. Nothing here touches a store, a clock or a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from zeromem.facts import Clarification
from zeromem.turns import place

Metadata = Mapping[str, Any]
Parts = tuple[tuple[int, int, int], ...]
Status = Literal["stored", "duplicate", "superseded", "quarantined", "pending", "ignored"]


class ScopeIds(TypedDict, total=False):
    """The scope keywords that every verb takes: a given id matches by equality, one not given is not compared."""

    user: str | None
    agent: str | None
    session: str | None
    tenant: str | None


class SearchOptions(ScopeIds, total=False):
    """What narrows a search, beside the scope; see `Memory.search`. `at` is the time of the question."""

    filters: Metadata | None
    within: Literal["session"] | None
    exclude_session: str | None
    after: Any
    before: Any
    at: Any
    arms: Sequence[str] | None
    current: bool
    include_superseded: bool
    as_of: Any
    known_at: Any
    subject: str | None


class RecallOptions(SearchOptions, total=False):
    """`window`: turns of the named session that the caller still has; `most`: cards at most; `clarify=False`: no doubt is told."""

    window: int
    most: int | None
    clarify: bool


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory: `user` or `agent` is always set; None means not given, hence not compared."""

    tenant: str | None = None
    user: str | None = None
    agent: str | None = None
    session: str | None = None

    @property
    def owner(self) -> str:
        """The name space of pointers: the user, or the agent where there is no user."""
        return f"u:{self.user}" if self.user is not None else f"a:{self.agent}"

    def without_session(self) -> Scope:
        return Scope(self.tenant, self.user, self.agent, None)


@dataclass(frozen=True, slots=True)
class Event:
    """What happened, immutable and byte-exact; `raw` is the original message as JSON where it was more than text."""

    id: str
    scope: Scope
    kind: str
    role: str
    speaker: str | None
    text: str
    at: str
    stored_at: str
    source_id: str | None = None
    raw: str | None = None
    metadata: Metadata = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Card:
    """The current version of a memory. `at` is when it was said, `created_at` and `updated_at` when we stored it."""

    id: str
    pointer: str
    version: int
    scope: Scope
    kind: str
    role: str
    speaker: str | None
    text: str
    at: str
    created_at: str
    updated_at: str
    source_id: str | None
    metadata: Metadata
    made_by: str
    tokens: int  # of its line in a context, with the newline
    head_tokens: int = 0  # of the heading of its session in a context
    parts: Parts = ()  # sentences of a long text: (start, end, tokens of the line that holds it)
    row: int = 0  # the version's place in the store; 0 before it is stored
    born: int = 0  # the row of version 1
    full: str = ""  # the text as stored, where `text` is what upkeep made of it

    @property
    def user(self) -> str | None:
        return self.scope.user

    @property
    def agent(self) -> str | None:
        return self.scope.agent

    @property
    def session(self) -> str | None:
        return self.scope.session

    @property
    def tenant(self) -> str | None:
        return self.scope.tenant

    @property
    def source(self) -> str:
        """The text as stored (the exact bytes of the events come from `expand`)."""
        return self.full or self.text


@dataclass(frozen=True, slots=True)
class Span:
    """The part of an event that a card was made of: character offsets, half open."""

    event: Event
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.event.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Expansion:
    """A card led back to its source: the card, and every event (with span) that it stands for, oldest first."""

    card: Card
    spans: tuple[Span, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple({span.event.id: span.event for span in self.spans}.values())

    @property
    def text(self) -> str:
        """The exact original text of the newest source event, whole."""
        return self.spans[-1].event.text


@dataclass(frozen=True, slots=True)
class ReceiptItem:
    """What became of one piece: status, the reason in words, the card (if any), and the kind of each secret that was `masked`."""

    status: Status
    reason: str
    event_id: str | None = None
    id: str | None = None
    pointer: str | None = None
    text: str = ""
    masked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an `add` did, item by item; `id` and `pointer` are those of the first item that has a card."""

    items: tuple[ReceiptItem, ...]
    warnings: tuple[str, ...] = ()

    @property
    def id(self) -> str | None:
        return next((item.id for item in self.items if item.id), None)

    @property
    def pointer(self) -> str | None:
        return next((item.pointer for item in self.items if item.pointer), None)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all cards named in the receipt, each once, in order."""
        return tuple(dict.fromkeys(item.id for item in self.items if item.id))

    def count(self, status: Status) -> int:
        return sum(item.status == status for item in self.items)


@dataclass(frozen=True, slots=True)
class TraceRecord:
    """What one stage of recall did: sizes in and out, why, details for the table, and milliseconds."""

    stage: str
    into: int
    out: int
    why: str
    ms: float
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hit:
    """One found card with its fused score and the scores of the arms that proposed it; `superseded_by` is the pointer of the card
    that overtook it, None while what it says still holds."""

    card: Card
    score: float
    arms: Mapping[str, float]
    superseded_by: str | None = None

    @property
    def id(self) -> str:
        return self.card.id

    @property
    def pointer(self) -> str:
        return self.card.pointer

    @property
    def text(self) -> str:
        return self.card.text


class Hits(list[Hit]):
    """The hits of a search, best first: `degraded` names arms that failed ("dense: TimeoutError …"), `times` the time spans understood
    from the query, `time_match` whether any hit was said in one of them (None where the query names none)."""

    def __init__(
        self,
        hits: Iterable[Hit] = (),
        *,
        degraded: tuple[str, ...] = (),
        times: tuple[str, ...] = (),
        time_match: bool | None = None,
        trace: tuple[TraceRecord, ...] = (),
    ) -> None:
        super().__init__(hits)
        self.degraded = degraded
        self.times = times
        self.time_match = time_match
        self.trace = trace


class Page(list[Card]):
    """One page of cards; `cursor` continues it (None at the end) and stays valid while others write."""

    def __init__(self, cards: Iterable[Card] = (), *, cursor: str | None = None) -> None:
        super().__init__(cards)
        self.cursor = cursor


@dataclass(frozen=True, slots=True)
class Citation:
    """A card shown in a context: its pointer, id, date, and whether it was shortened."""

    pointer: str
    id: str
    at: str
    tokens: int
    shortened: bool


@dataclass(frozen=True, slots=True)
class Context:
    """What recall returns, ready for a prompt: `text` (empty when nothing is worth a token) and the reasons.
    `clarifications`: at most one question to the user, where two shown memories on what is asked cannot both be so."""

    id: str
    text: str
    tokens: int
    budget: int
    cards: tuple[Card, ...]
    citations: tuple[Citation, ...]
    dropped: tuple[str, ...]
    trace: tuple[TraceRecord, ...]
    reason: str
    degraded: tuple[str, ...] = ()
    full_tokens: int = 0
    clarifications: tuple[Clarification, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text)

    @property
    def saved(self) -> int:
        """Tokens that the whole history of the scope would have cost more than this context; 0 where nothing was shown."""
        return max(0, self.full_tokens - self.tokens) if self.text else 0

    def messages(self, messages: Iterable[Mapping[str, Any]] = ()) -> list[dict[str, Any]]:
        """The caller's messages (copied, unchanged) with the memory as one system message before the last user turn and its calls."""
        out = [dict(message) for message in messages]
        if not self.text:
            return out
        at = place(out)
        return [*out[:at], {"role": "system", "content": self.text}, *out[at:]]


@dataclass(frozen=True, slots=True)
class Resolution:
    """A text with its pointers looked up: what each stands for, and those that nothing answers to."""

    text: str
    cards: Mapping[str, Card]
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome of `verify`: what was compared, what did not agree, what was repaired."""

    checked: Mapping[str, int]
    problems: tuple[str, ...]
    repaired: int

    @property
    def ok(self) -> bool:
        return not self.problems or self.repaired == len(self.problems)


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures of a scope (or of the whole file). Rates are None while nothing was recalled."""

    events: int
    cards: int
    pending: int
    sessions: int
    tokens: int
    recalls: int
    hit_rate: float | None
    use_rate: float | None
    context_tokens_mean: float | None
    tokens_saved: int
    feedback: int
    embedder: str
    bytes: int  # of the scope's own texts; without a scope, of the file
