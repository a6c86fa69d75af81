"""The derived tables of the SQLite store: keyword index, vectors, recalls and uses, and the checks of `verify`.

In: card rows, hashes, vectors, uses. Out: the same by scope. Two mixins of `SQLiteStore`, which owns the connections.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from zeromem.ports import EmbedderInfo, IndexRow, Marker, Recalled, Use, Vectors
from zeromem.store.rows import card_of, damaged, lenient_text, pack
from zeromem.types import Card, Scope


class _Tables:
    """What the mixins need of the store."""

    _sql: dict[str, str]

    @property
    def _connection(self) -> sqlite3.Connection:
        raise TypeError("a mixin of SQLiteStore")

    def _rows(self, name: str, values: dict[str, Any] | tuple[Any, ...] = (), **parts: str) -> list[Any]:
        raise TypeError("a mixin of SQLiteStore")

    def _by_ids(self, name: str, ids: Sequence[Any], *more: Any) -> Iterator[Any]:
        raise TypeError("a mixin of SQLiteStore")

    def read(self) -> AbstractContextManager[None]:
        raise TypeError("a mixin of SQLiteStore")

    def _queue(self, name: str, values: tuple[Any, ...]) -> None:
        raise TypeError("a mixin of SQLiteStore")

    def _flush(self) -> None:
        raise TypeError("a mixin of SQLiteStore")

    def _in_scope(
        self, name: str, scope: Scope | None, alias: str, *, by_session: bool = False, **values: Any
    ) -> list[Any]:
        raise TypeError("a mixin of SQLiteStore")


class IndexTables(_Tables):
    """Terms and vectors of the current cards."""

    def marker(self) -> Marker:
        row, vector, epoch, mark, told, refined = self._rows("marker")[0]
        return row or 0, vector or 0, epoch or 0, mark or 0, told or 0, refined or 0

    def next_epoch(self) -> None:
        """Make every open memory read its snapshots anew: rows that it holds were rewritten."""
        self._connection.execute(self._sql["next_epoch"])

    def put_terms(self, row: int, hashes: bytes) -> None:
        self._queue("put_terms", (row, hashes))

    def index_rows(self, scope: Scope, after: int) -> Iterator[IndexRow]:
        for values in self._in_scope("index_rows", scope, "c", after=after):
            if len(values[-1] or b"") % 4:
                raise damaged("terms", values[0], "its words are cut short")
            yield IndexRow(*values)

    def vector_rows(self, scope: Scope, embedder: int, after: int) -> Iterator[tuple[int, int, bytes]]:
        # The ids first, then the vectors in steps: at 100,000 cards the blobs alone are 77 MB.
        found = self._in_scope("vector_ids", scope, "c", after=after, embedder=embedder)
        stored = self.embedder()
        size = 2 * stored.dimension if stored and stored.id == embedder else 0
        for values in self._by_ids("vectors_by_id", [id_ for (id_,) in found]):
            if size and len(values[2]) != size:
                raise damaged("vectors", values[0], "its vector is cut short")
            yield values

    def pending(self, scope: Scope | None, limit: int) -> list[Card]:
        return [card_of(row) for row in self._in_scope("pending_cards", scope, "c", limit=limit)]

    def count_pending(self, scope: Scope | None) -> int:
        return int(self._in_scope("count_pending", scope, "c")[0][0])

    def put_vectors(self, embedder: int, rows: Sequence[int], vectors: Vectors) -> None:
        self._flush()
        blobs = vectors.astype(np.float16)
        self._connection.executemany(
            self._sql["put_vector"], [(row, embedder, blob.tobytes()) for row, blob in zip(rows, blobs, strict=True)]
        )

    def copy_vector(self, old: int, new: int) -> None:
        self._flush()
        self._connection.execute(self._sql["copy_vector"], (old, new))

    def clear_vectors(self) -> None:
        self._connection.execute(self._sql["drop_all_vectors"])
        self.next_epoch()

    def embedder(self) -> EmbedderInfo | None:
        rows = self._rows("embedder")
        return EmbedderInfo(*rows[0]) if rows else None

    def add_embedder(self, name: str, version: str, dimension: int) -> EmbedderInfo:
        self._connection.execute(self._sql["add_embedder"], (name, version, dimension))
        return EmbedderInfo(*self._rows("embedder")[0])

    def index_of(self, row: int) -> bytes | None:
        rows = self._rows("terms_of", (row,))
        return bytes(rows[0][0]) if rows else None

    def drop_index(self, row: int) -> None:
        self._flush()
        self._connection.execute(self._sql["drop_vector"], (row,))
        self._connection.execute(self._sql["drop_terms"], (row,))

    def all_pointers(self) -> Iterator[tuple[tuple[str, str, str, int], str]]:
        for *key, card_id in self._rows("all_pointers"):
            yield tuple(key), card_id

    def set_pointer(self, key: tuple[str, str, str, int], card_id: str | None) -> None:
        """Lead a pointer (stem, owner, tenant, number) to a card, or nowhere."""
        self._connection.execute(self._sql["drop_pointer"], key)
        if card_id is not None:
            self._connection.execute(self._sql["add_pointer"], (*key, card_id))

    def set_derived(self, card: Card, digest: bytes) -> None:
        """Write anew what derives from a version's text."""
        values = (digest, card.tokens, card.head_tokens, pack(card.parts), card.row)
        self._connection.execute(self._sql["set_derived"], values)

    @contextmanager
    def lenient(self) -> Iterator[None]:
        """Inside a `read` or `write`: texts that are no UTF-8 are read as bytes, so that what is damaged can be looked through."""
        connection = self._connection
        connection.text_factory = lenient_text
        try:
            yield
        finally:
            connection.text_factory = str

    def problems(self) -> dict[str, list[int | str]]:
        """Rows (or ids) that disagree between tables, by kind of fault; empty lists where all is well."""
        integrity = [text for (text,) in self._rows("integrity_check") if text != "ok"]
        return {
            "file": list(integrity),
            "card without keyword index": [row[0] for row in self._rows("unindexed_cards")],
            "keyword index without card": [row[0] for row in self._rows("stale_terms")],
            "vector without card": [row[0] for row in self._rows("stale_vectors")],
            "vector of the wrong size": [row[0] for row in self._rows("vector_sizes")],
            "vector of another embedder": [row[0] for row in self._rows("foreign_vectors")],
            "card without event": [row[0] for row in self._rows("unlinked_cards")],
            "link without card": [row[0] for row in self._rows("cardless_links")],
            # Terms and vectors are looked at above.
            "row that names a lost one": [
                f"of {table}, lost from {parent}"
                for table, _, parent, _ in self._rows("foreign_key_check")
                if table not in ("terms", "vectors")
            ],
            "erased bytes in the file": [row[0] for row in self._rows("erasing")],
            "no epoch": ["the table meta is empty"] if self._rows("marker")[0][2] is None else [],
        }


class UseTables(IndexTables):
    """Recalls and what became of them, and the figures of `stats`."""

    def add_recalls(self, recalls: Sequence[Recalled], uses: Sequence[Use], at: int) -> None:
        for recall in recalls:
            scope = recall.scope
            self._connection.execute(
                self._sql["add_recall"],
                (recall.id, scope.tenant, scope.user, scope.agent, scope.session, recall.at, recall.tokens,
                 recall.full_tokens, recall.cards, recall.reason),
            )  # fmt: skip
        self._connection.executemany(
            self._sql["add_use"], [(u.recall_id, u.card_id, u.version, u.event, u.value, u.why, at) for u in uses]
        )

    def recall(self, id_: str, scope: Scope | None) -> list[Use] | None:
        if not self._in_scope("recall", scope, "c", id=id_):
            return None
        return [Use(id_, *row) for row in self._rows("recall_uses", {"id": id_})]

    def confirmed(self, card_ids: Sequence[str]) -> dict[tuple[str, int], int]:
        return {(id_, version): times for id_, version, times in self._by_ids("confirmed", card_ids)}

    def figures(self, scope: Scope | None) -> dict[str, float | None]:
        """Counts for `stats`, of one state; an average is None where there is nothing to average."""
        with self.read():
            events, sessions = self._in_scope("event_stats", scope, "e")[0]
            cards, tokens = self._in_scope("card_stats", scope, "c")[0]
            recalls, hits, mean, saved = self._in_scope("recall_stats", scope, "c")[0]
            shown, used, outcomes = self._in_scope("use_stats", scope, "c")[0]
            return {
                "events": events, "sessions": sessions, "cards": cards, "tokens": tokens, "recalls": recalls,
                "hits": hits, "mean": mean, "saved": saved, "shown": shown, "used": used, "outcomes": outcomes,
                "pending": self.count_pending(scope), "bytes": self._bytes(scope),
            }  # fmt: skip

    def _bytes(self, scope: Scope | None) -> int:
        """The size of the file; of a scope, what its own texts take, for the file would tell of its neighbours."""
        if scope is None:
            return int(self._rows("page_count")[0][0] * self._rows("page_size")[0][0])
        events, cards = self._in_scope("event_bytes", scope, "e"), self._in_scope("card_bytes", scope, "c")
        return int(events[0][0] + cards[0][0])
