"""Keeps a fork safe: no use of SQLite is cut in two by it, and no lock stays held in the child by a thread that is not there.

In: `calls`, which whoever uses SQLite is inside of; `watch`, with parts that make ready before a fork and anew after it. SQLite
knows files by process: a connection that crosses a fork, even unused or closed, makes the child's own locks worth nothing. So a
fork waits until nobody is inside, everything open is closed, and parent and child open anew. Who waits for a lock of a memory goes
inside first: else its holder could wait at the gate for a fork that waits for the one who wants the lock. A child that was forked in
the middle of a call all the same (by that call itself, or after `_PATIENCE` seconds) may not use SQLite at all, and is told so.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from zeromem.errors import StoreError

_PATIENCE = 5.0  # seconds that a fork waits for the calls of other threads


class Calls:
    """Which threads are inside a use of SQLite; while a thread forks nobody else enters."""

    def __init__(self) -> None:
        self._turn = threading.Condition()
        self._inside: dict[int, int] = {}
        self._forking: list[int] = []
        self.torn = False  # this process was forked in the middle of a call

    def enter(self) -> int:
        """Go inside, and return what `leave` wants (a generator may end in another thread). Raises StoreError where torn."""
        me = threading.get_ident()
        self.check()
        with self._turn:
            while self._forking and me not in self._inside and me not in self._forking:
                self._turn.wait()
            self._inside[me] = self._inside.get(me, 0) + 1
        return me

    def leave(self, who: int) -> None:
        with self._turn:
            left = self._inside.get(who, 0) - 1
            if left > 0:
                self._inside[who] = left
                return
            self._inside.pop(who, None)
            if self._forking:
                self._turn.notify_all()

    @contextmanager
    def inside(self) -> Iterator[None]:
        who = self.enter()
        try:
            yield
        finally:
            self.leave(who)

    def check(self) -> None:
        if self.torn:
            raise StoreError(
                "this process was forked in the middle of a call of zeromem and can use no memory; fork while no call, export "
                "or import is under way, or start processes by `spawn`"
            )

    def stop(self) -> None:
        me = threading.get_ident()
        with self._turn:
            self._forking.append(me)
            self._turn.wait_for(lambda: not self._inside.keys() - {me}, _PATIENCE)

    def go(self) -> None:
        with self._turn:
            self._forking.remove(threading.get_ident())
            self._turn.notify_all()

    def renew(self) -> None:
        self.torn = self.torn or bool(self._inside)
        self._turn = threading.Condition()
        self._inside, self._forking = {}, []


Part = TypeVar("Part")
calls = Calls()
_parts: WeakKeyDictionary[Any, tuple[Callable[[Any], None], Callable[[Any], None]]] = WeakKeyDictionary()
_adding = threading.Lock()


def watch(part: Part, after: Callable[[Part], None], before: Callable[[Part], None] = lambda _: None) -> None:
    """As long as the part lives: `before` each fork (nobody else being inside a call), and `after` it in the child."""
    with _adding:
        _parts[part] = (before, after)


def _before() -> None:
    calls.stop()
    with _adding:
        parts = list(_parts.items())
    for part, (before, _) in parts:
        before(part)


def _in_child() -> None:
    global _adding  # a thread that is not here may hold it
    _adding = threading.Lock()
    calls.renew()
    for part, (_, after) in list(_parts.items()):
        after(part)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=calls.go, after_in_child=_in_child)
