"""The verbs that erase: forget and reset.

In: what to forget: a pointer or id, several, a query, a source, a session, a filter. Out: a `Forgotten` with the proof that no
byte of it is left. What goes is decided in `maintain/erasing.py`, and looked for in `maintain/proof.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

from zeromem.changes import Forgotten, Proof
from zeromem.checks import checked_text, shown
from zeromem.core import Core
from zeromem.errors import Ambiguous, InvalidInput, NotFound, StoreBusy, StoreError
from zeromem.filters import scope_ids, told_in
from zeromem.ids import split_pointer
from zeromem.maintain.erasing import Plan, erase, plan
from zeromem.maintain.proof import occurring, pieces
from zeromem.scoping import optional_scope, scope_of, sees
from zeromem.text.words import content, fold, terms
from zeromem.types import Card, Scope, ScopeIds

_EVENT = re.compile(r"e[0-9a-f]{26}")
_CHUNK = 500
_PENDING = (
    "somebody goes on reading the old content, so its bytes stay in the file or its log: end that process or call, then open the memory "
    "again"
)
_PLAIN = "its texts are too short or too plain to be told from other bytes"
_SHARED = "all its words stand in memories that are kept, so that their absence cannot be shown"

Chosen = tuple[list[str], list[str]]  # ids of events, and of cards that go with all their events


class ForgetVerbs(Core):
    """Erasing for good."""

    def forget(
        self,
        selector: str | Sequence[str] | None = None,
        *,
        source_id: str | None = None,
        filters: Mapping[str, Any] | None = None,
        everything: bool = False,
        dry_run: bool = False,
        **ids: Unpack[ScopeIds],
    ) -> Forgotten:
        """Erase what was said, and everything made of it, from every table, the file and its log; there is no way back.

        `selector` is a pointer, the id of a card or event, several of these, or words (more than one) that fit one memory unmistakably,
        deleted ones and what a memory once said included. Instead of it: `source_id`, `filters`, `session` alone, or `everything` of the
        scope. Events go whole, with all their cards; a card that another event says too stays for that one. No `restore`, `undo`,
        `reindex` or `verify` brings anything back, nor does an export made before, imported into this file; a pointer that went never
        means another card. `dry_run` tells what would go and erases nothing. The receipt's `proof` is a search of the file's bytes; while
        another process reads the file it says so, and the work is ended when the memory is next opened.

        Raises NotFound, Ambiguous, InvalidInput where it is not clear what is meant (nothing was erased), StoreBusy, StoreFull.
        """
        given = [selector is not None, source_id is not None, filters is not None, bool(everything)]
        if sum(given) > 1 or (not any(given) and not ids.get("session")):
            raise InvalidInput(
                "forget one thing: a selector, source_id=, filters=, session=, or everything=True of a scope"
            )
        meant = [self._named(selector, ids)] if isinstance(selector, str) else selector

        def chosen() -> Chosen:
            return self._referred(meant, ids) if meant is not None else self._matching(source_id, filters, ids)

        if dry_run:
            with self._in_flight(), self._store.read():
                found = plan(self._store, *chosen())
                texts = tuple(event.text for event in found.events.values())
                return Forgotten(len(found.events), len(found.cards), self._pointers(found), texts=texts)
        whole = meant is None and filters is None and source_id is None
        return self._erased(chosen, scope_of(ids) if whole else None)

    def _erased(self, chosen: Callable[[], Chosen], recalls: Scope | None = None) -> Forgotten:
        """Erase what `chosen` names, which is asked in the transaction that erases it; with the log of the recalls of a scope."""
        with self._in_flight(), self._store.write():
            found = plan(self._store, *chosen())
            if not found.events and not found.cards:
                return Forgotten(0, 0)
            rows = erase(self._ledger, found, self._moment(), self._cut())
            if recalls is not None:
                rows["recalls"] = self._store.erase_recalls(recalls)
        self._snapshots.clear()
        self._uses.forget(found.cards)
        self._wake()
        rows = {table: count for table, count in rows.items() if count}
        kept, proof = self._pointers(found), self._proof(found)
        return Forgotten(len(found.events), len(found.cards), kept, rows=rows, proof=proof)

    def _pointers(self, found: Plan) -> tuple[str, ...]:
        """Of the cards that stay for another event."""
        return tuple(newest[0].pointer for id_ in found.kept if (newest := self._store.card(id_)))

    def _named(self, selector: str, ids: ScopeIds) -> str:
        """The id or pointer that a single selector is, or the id of the one card that its words fit."""
        if _EVENT.fullmatch(selector.strip()) or self._candidates(selector, optional_scope(ids)):
            return selector
        # A word that could be a pointer is taken for one alone: said twice, it must not mean another memory.
        lone = split_pointer(fold(selector.strip())) is not None
        if optional_scope(ids) is None or lone or self._written_as_name(selector):
            raise self._unknown(selector, optional_scope(ids))
        return self._ever_said(selector, ids)

    def _ever_said(self, words: str, ids: ScopeIds) -> str:
        """The id of the one card that the words fit: of the current ones, of those that were deleted, or of one that said so once."""
        try:
            current = self._unmistakable(words, ids)
        except NotFound:
            if not (deleted := self._said_before(words, ids, edited=True)):
                raise
        else:
            deleted = {current.id: current} | self._said_before(words, ids, edited=False)
        if len(deleted) == 1:
            return next(iter(deleted))
        near = ", ".join(f"{card.id} ({card.updated_at[:19]}) {card.text[:60]!r}" for card in [*deleted.values()][:5])
        raise Ambiguous(
            f"{shown(words)} fits {len(deleted)} memories, deleted ones too; name them by their ids: {near}"
        )

    def _said_before(self, words: str, ids: ScopeIds, *, edited: bool) -> dict[str, Card]:
        """The newest versions that said all these words, of deleted cards, and with `edited` of cards that say something else by now."""
        scope, wanted = scope_of(ids), set(content(terms(words)))
        found: dict[str, Card] = {}
        for card, _, op, *_ in self._store.all_versions(scope.without_session()):
            if op != "delete" and wanted and wanted <= set(terms(card.text)):
                found[card.id] = card
        newest = {id_: pair for id_ in found if (pair := self._store.card(id_)) is not None}
        return {id_: found[id_] for id_, (_, op) in newest.items() if edited or op == "delete"}

    def _referred(self, names: Sequence[str], ids: ScopeIds) -> Chosen:
        scope = optional_scope(ids)
        events: list[str] = []
        cards: list[str] = []
        if not isinstance(names, list | tuple | set | frozenset) or not names:
            raise InvalidInput(
                f"a selector is a pointer, an id, words, or a list of pointers and ids, not {shown(names)}"
            )
        for name in names:
            if isinstance(name, str) and _EVENT.fullmatch(name.strip()):
                if not any(sees(scope, event.scope) for event in self._store.events([name.strip()])):
                    raise NotFound(f"no event is known as {shown(name)} in this scope")
                events.append(name.strip())
                continue
            found = self._candidates(name, scope)
            if not found:
                raise self._unknown(name, scope)
            cards.append(found[0][0].id)
        return events, cards

    def _matching(self, source_id: str | None, filters: Mapping[str, Any] | None, ids: ScopeIds) -> Chosen:
        scope = scope_of({**scope_ids(filters), **ids})
        if source_id is not None:
            checked_text(source_id, "source_id")
            parts = self._store.source_parts(source_id, scope)
            found = [id_ for part in parts for id_ in self._store.source_story(part, scope)]
        elif filters is not None:
            found = []
        else:
            found = [event.id for event in self._store.all_events(scope)]
        cards = self._filtered(scope, filters) if filters is not None else []
        if not found and not cards:
            what = f"source {shown(source_id)}" if source_id is not None else "these filters" if filters else "this"
            raise NotFound(f"nothing is known of {what} in this scope")
        return found, cards

    def _filtered(self, scope: Scope, filters: Mapping[str, Any]) -> list[str]:
        matches, found, after = told_in(scope.session, filters), list[str](), 0
        while cards := self._store.cards_after(scope, "birth", (0, after), _CHUNK):
            found += [card.id for card in cards if matches(card)]
            after = cards[-1].born
        return found

    def _proof(self, gone: Plan) -> Proof:
        """Take the bytes out of the file, then look for what was erased."""
        reasons: list[str] = []
        try:
            self._store.scrub()
        except StoreBusy:
            reasons.append(_PENDING)
        except StoreError as error:
            reasons.append(f"its bytes stay in the file until the memory is opened again: {error}")
        images: dict[str, bytes] = {}
        try:
            images = self._store.images()
        except (StoreBusy, StoreError) as error:
            reasons.append(str(error))
        wanted = pieces(gone.texts())
        there = {piece for image in images.values() for piece in occurring(wanted, [image])}
        shared = occurring(there, self._store.contents()) if there else set()
        if not wanted:
            reasons.append(_PLAIN)
        elif wanted == shared:
            reasons.append(_SHARED)
        size = sum(map(len, images.values()))
        return Proof(len(wanted), tuple(images), size, len(there - shared), len(shared), tuple(reasons))

    def reset(self) -> None:
        """Erase everything in this file, buffers and free pages too. There is no way back.

        Raises StoreBusy where another process keeps a write lock (nothing was erased) or goes on reading the old content
        (everything is deleted, but its bytes stay in the file until that process ends and the memory is opened or reset again).
        """
        self._uses.clear()
        try:
            self._store.erase()
        finally:
            self._uses.clear()  # what calls of other threads noted meanwhile
            self._snapshots.clear()
