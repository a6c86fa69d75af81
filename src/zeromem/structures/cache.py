"""Keeps the snapshots of recently used scopes in memory, within a bound of bytes.

In: a scope. Out: its snapshot as of now. Readers take no lock while they read: a refreshed snapshot replaces the old one in
one step, and whoever holds the old one finishes with it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from zeromem.forks import watch
from zeromem.ports import Store
from zeromem.structures.snapshot import Snapshot, Space, load
from zeromem.types import Scope


class Snapshots:
    """Least recently used scopes leave first; the scope in use always stays."""

    def __init__(self, store: Store, most_bytes: int) -> None:
        self._store = store
        self._most = most_bytes
        self._held: OrderedDict[Scope, Snapshot] = OrderedDict()
        self._lock = threading.Lock()
        watch(self, Snapshots._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def get(self, scope: Scope, space: Space) -> Snapshot:
        scope = scope.without_session()
        with self._lock:
            old = self._held.get(scope)
        fresh = load(self._store, scope, space, old)
        with self._lock:
            self._held[scope] = fresh
            self._held.move_to_end(scope)
            total = sum(snapshot.nbytes for snapshot in self._held.values())
            while total > self._most and len(self._held) > 1:
                _, gone = self._held.popitem(last=False)
                total -= gone.nbytes
        return fresh

    def clear(self) -> None:
        with self._lock:
            self._held.clear()
