"""AsyncMemory: the verbs of Memory, awaited in worker threads.

In: the arguments of `Memory`. Out: the same values. Nothing is written twice: each verb is the synchronous one in a thread, so
the event loop never waits for the file or the embedder.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from itertools import islice
from typing import Any, Self, Unpack

from zeromem.memory import Memory
from zeromem.scoped import VERBS as SCOPED_VERBS
from zeromem.scoped import ScopedMemory
from zeromem.types import ScopeIds

SCOPED = (*sorted({*SCOPED_VERBS} - {"export"}),)
VERBS = (*sorted({*SCOPED, "reindex", "reset", "scopes", "verify"}),)
_CHUNK = 500


class _Awaited:
    """The verbs of a memory or of a bound scope, each awaited in a thread."""

    _verbs: tuple[str, ...]

    def __init__(self, memory: Any) -> None:
        self.memory = memory

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        if name not in self._verbs:
            raise AttributeError(
                f"{type(self).__name__} has no {name!r}; its verbs are export, {', '.join(self._verbs)}"
            )
        verb = getattr(self.memory, name)

        @functools.wraps(verb)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            return await asyncio.to_thread(functools.partial(verb, *args, **kwargs))

        return awaited

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._verbs})

    async def export(self, **ids: Any) -> AsyncIterator[dict[str, Any]]:
        """See `Memory.export`; records arrive as they are read."""
        records: Iterable[dict[str, Any]] = iter(self.memory.export(**ids))
        while chunk := await asyncio.to_thread(lambda: list(islice(records, _CHUNK))):
            for record in chunk:
                yield record


class AsyncScopedMemory(_Awaited):
    """Made by `AsyncMemory.scope`: the verbs of one scope, awaited."""

    memory: ScopedMemory
    _verbs = SCOPED

    def __repr__(self) -> str:
        return f"Async{self.memory!r}"


class AsyncMemory(_Awaited):
    """Open it with `await AsyncMemory.open(…)`; every verb of `Memory` is awaited here."""

    memory: Memory
    _verbs = VERBS

    @classmethod
    async def open(cls, *args: Any, **kwargs: Any) -> Self:
        """See `Memory.open`."""
        return cls(await asyncio.to_thread(functools.partial(Memory.open, *args, **kwargs)))

    async def close(self) -> None:
        await asyncio.to_thread(self.memory.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.memory.warnings

    def scope(self, **ids: Unpack[ScopeIds]) -> AsyncScopedMemory:
        """See `Memory.scope`: the same verbs with these ids bound, awaited. Needs no await itself."""
        return AsyncScopedMemory(self.memory.scope(**ids))
