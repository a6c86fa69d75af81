"""AsyncMemory: the verbs of Memory, awaited in worker threads.

In: the arguments of `Memory`. Out: the same values. Nothing is written twice: each verb is the synchronous one in a thread, so
the event loop never waits for the file or the embedder.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from itertools import islice
from typing import Any, Self

from zeromem.memory import Memory
from zeromem.scoped import VERBS as SCOPED_VERBS

VERBS = (*sorted({*SCOPED_VERBS, "reindex", "reset", "scopes", "verify"} - {"export"}),)
_CHUNK = 500


class AsyncMemory:
    """Open it with `await AsyncMemory.open(…)`; every verb of `Memory` is awaited here."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

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

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        if name not in VERBS:
            raise AttributeError(f"AsyncMemory has no {name!r}; its verbs are export, {', '.join(VERBS)}")
        verb = getattr(self.memory, name)

        @functools.wraps(verb)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            return await asyncio.to_thread(functools.partial(verb, *args, **kwargs))

        return awaited

    async def export(self, **ids: Any) -> AsyncIterator[dict[str, Any]]:
        """See `Memory.export`; records arrive as they are read."""
        records: Iterable[dict[str, Any]] = iter(self.memory.export(**ids))
        while chunk := await asyncio.to_thread(lambda: list(islice(records, _CHUNK))):
            for record in chunk:
                yield record
