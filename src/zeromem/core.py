"""What every verb stands on: the parts of an open memory, finding a card, and counting calls in flight.

In: an opened store, settings, embedder, clock and token counter. Out: nothing by itself; `memory.py`, `edit.py`, `inspect.py`
and `transfer/` add the verbs.
"""

from __future__ import annotations

import re
import threading
import time
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, cast

from zeromem.checks import did_you_mean, shown
from zeromem.clock import trusted
from zeromem.context import FRAME_TOKENS
from zeromem.encode.cards import Cut
from zeromem.encode.masking import masked
from zeromem.errors import Ambiguous, InvalidInput, NotFound
from zeromem.forks import calls, watch
from zeromem.kinds import Route, routes
from zeromem.learn import UseLog
from zeromem.ledger import Ledger
from zeromem.maintain.embed import Behind, Embedding
from zeromem.ports import Chat, Clock, Embedder, Store
from zeromem.recall.pipeline import Sources
from zeromem.refinements import refined
from zeromem.scoping import optional_scope, sees
from zeromem.settings import Settings
from zeromem.structures.cache import Snapshots
from zeromem.text.redact import Level
from zeromem.text.render import CLOSE, OPEN
from zeromem.text.tokens import Counter
from zeromem.text.tokens import count as count_o200k
from zeromem.text.words import content, fold, terms
from zeromem.types import Card, Hits, Scope

_ID = re.compile(r"c[0-9a-f]{26}")
_POINTER = re.compile(r"\[m:([^\[\]\s]{1,64})\]")
_COMPARED = 5000  # cards whose pointers an unknown name is compared with
_LONGEST = 64  # characters of a pointer
_FITTING = 50  # cards that the words of a query are looked for in
_STILL = 1_000_000  # microseconds; a clock that stands behind by more is wrong, and believed
_PATIENCE = 50  # milliseconds
_STEP = 4  # cards that the background thread embeds between two looks at who is waiting


class _Searches(Protocol):
    def search(self, query: str, *, k: int, **options: Any) -> Hits: ...


class Core:
    """The parts of one open memory. Made by `Memory.open`."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder | None,
        settings: Settings,
        clock: Clock,
        count: Counter,
        *,
        background: bool,
        chats: tuple[Chat | None, Chat | None] = (None, None),
    ) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock = trusted(clock)
        self._ledger = Ledger(store, count)
        # Another counter is asked once; o200k is known, so that recall never loads its vocabulary.
        self._frame_tokens = FRAME_TOKENS if count is count_o200k else count(OPEN + CLOSE)
        self._count = None if count is count_o200k else count
        self._embedding = Embedding(store, embedder, settings)
        self._snapshots = Snapshots(store, settings.snapshot_bytes)
        self._uses = UseLog(store, clock)
        self.chat, self._keeper = chats
        self._flying = 0
        self._flying_lock = threading.Lock()
        watch(self, Core._renew)
        self._behind: Behind | None = None
        if background and embedder is not None:
            self._behind = Behind(lambda: self._embedding.run(None, _STEP), lambda: self._flying > 0)

    def _renew(self) -> None:
        self._flying, self._flying_lock = 0, threading.Lock()

    def _sources(self) -> Sources:
        return Sources(
            self._store,
            self._snapshots,
            self._embedding,
            self._settings.embed_on_recall,
            self._frame_tokens,
            self._count,
        )

    @contextmanager
    def _in_flight(self) -> Iterator[None]:
        """While a call is in flight the background thread waits, and so does a fork: a first call loads tables and modules."""
        with self._flying_lock:
            self._flying += 1
        try:
            with calls.inside():
                yield
        finally:
            with self._flying_lock:
                self._flying -= 1

    def _pause(self) -> None:
        """Let calls in flight go first, for a while: upkeep must end too."""
        for _ in range(_PATIENCE):
            if not self._flying:
                return
            time.sleep(0.001)

    def _cut(self) -> Cut:
        """How long texts are cut into cards."""
        return Cut(self._settings.segment_low, self._settings.segment_high, self._settings.segment_overlap)

    def _routes(self) -> tuple[Route, ...]:
        """What becomes of memories by their kind."""
        return routes(self._settings.preset)

    @property
    def _redact(self) -> Level:
        """What is masked before it is stored."""
        return cast(Level, self._settings.redact)

    def _masked(self, value: Any) -> Any:
        return masked(value, self._redact)[0]

    def _source(self, source_id: str | None) -> str | None:
        """The name of a source as it is stored: an address may hold a password."""
        return source_id if source_id is None else str(self._masked(source_id))

    def _moment(self) -> int:
        """Now, as the moment of a change: after that of the change before, also where the clock stood still."""
        now, last = self._clock(), self._store.last_moment()
        return last + 1 if now <= last < now + _STILL else now

    def _wake(self) -> None:
        if self._behind is not None:
            self._behind.wake()

    def _find(self, reference: object, ids: Mapping[str, Any]) -> Card:
        """The current card behind a pointer (`coffee`, `m:coffee`, `[m:coffee]`) or an id, if the given scope may see it.

        Raises NotFound for what is unknown, deleted or behind a wall, Ambiguous for a pointer of several owners.
        """
        scope = optional_scope(ids)
        found = self._candidates(reference, scope)
        if not found:
            raise self._unknown(reference, scope)
        card, alive = found[0]
        if not alive:
            raise NotFound(
                f"[m:{card.pointer}] was deleted at {card.updated_at[:19]}; history({card.pointer!r}) tells what it said"
            )
        return card

    def _shown(self, cards: Sequence[Card]) -> list[Card]:
        """Cards in the words that upkeep left them."""
        how = self._store.refined([card.row for card in cards])
        return [refined(card, how.get(card.row)) for card in cards]

    def _written_as_name(self, query: object) -> bool:
        """Whether this can only be a pointer or an id: `[m:coffee]`, `m:coffee`."""
        text = query.strip() if isinstance(query, str) else ""
        return bool(_POINTER.fullmatch(text) or _ID.fullmatch(text)) or text.startswith("m:")

    def _unmistakable(self, query: str, ids: Mapping[str, Any]) -> Card:
        """The one card of the scope that holds every word of the query that carries a topic, or else the query as it stands."""
        hits = cast(_Searches, self).search(query, k=_FITTING, **ids)
        words = set(content(terms(query)))
        fitting = [hit.card for hit in hits if words and words <= set(terms(hit.card.text))]
        if len(fitting) > 1:
            literal = [card for card in fitting if fold(query.strip()) in fold(card.text)]
            fitting = literal if len(literal) == 1 else fitting
        if len(fitting) == 1:
            return fitting[0]
        near = ", ".join(f"[m:{card.pointer}] {card.text[:60]!r}" for card in (fitting or [h.card for h in hits])[:5])
        if fitting:
            raise Ambiguous(f"{shown(query)} fits {len(fitting)} memories; name one by its pointer: {near}")
        raise NotFound(
            f"no memory of this scope holds the words {shown(query)}" + (f"; near are {near}" if near else "")
        )

    def _unknown(self, reference: object, scope: Scope | None, known: str = "is") -> NotFound:
        """The error for a name that leads nowhere, with the nearest pointer of this very scope."""
        cards = self._store.cards_after(scope, "birth", (0, 0), _COMPARED) if scope is not None else []
        name, pointers = pointer_name(reference), [card.pointer for card in cards]
        hint = did_you_mean(name[:_LONGEST], pointers, "[m:{}]")
        return NotFound(f"nothing {known} known as {shown(reference)} in this scope{hint}")

    def _candidates(self, reference: object, scope: Scope | None) -> list[tuple[Card, bool]]:
        """At most one card (deleted ones too), with whether it is current."""
        name = pointer_name(reference)
        ids = [name] if _ID.fullmatch(name) else self._store.pointed(name, scope)
        found = [(card, op != "delete") for id_ in ids if (pair := self._store.card(id_)) for card, op in [pair]]
        visible = [pair for pair in found if sees(scope, pair[0].scope)]
        if len(visible) > 1:
            raise Ambiguous(
                f"{shown(reference)} belongs to {len(visible)} owners; name the user or agent, or use the card's id"
            )
        return visible


def pointer_name(reference: object) -> str:
    """The bare name of a pointer or id, however it was written."""
    if not isinstance(reference, str):
        raise InvalidInput(f"a pointer or id is a string, not {type(reference).__name__}")
    name = unicodedata.normalize("NFKC", reference).strip()
    marked = _POINTER.fullmatch(name)
    name = marked.group(1) if marked else name.removeprefix("m:")
    if not name:
        raise InvalidInput("the pointer is blank")
    # A lone surrogate, which no file carries, becomes a sign that no pointer has: such a name is unknown, not another's.
    return name.encode("utf-8", "replace").decode().casefold()


def pointers_in(text: str) -> list[str]:
    """Every pointer written in a text, in order, as written."""
    return list(dict.fromkeys(match.group(1) for match in _POINTER.finditer(text)))
