"""A memory with its scope bound: the same verbs without repeating `user=…`.

In: a memory and scope ids. Out: an object with the same verbs. Ids given in a call come on top; one that contradicts the bound
scope is an InvalidScope, so that a bound object never leaves its walls.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from zeromem.errors import InvalidScope

VERBS = (
    "accept", "add", "add_fact", "ask", "brief", "clarifications", "close_session", "compress", "correct", "delete", "delete_all", "delete_source",
    "embed_pending", "event_times", "expand", "export", "export_file", "facts", "feedback", "forget", "get", "history", "import_", "import_batch",
    "list", "maintain", "messages", "pin", "recall", "reject", "resolve", "restore", "retain", "retentions", "review", "search", "standing", "stats",
    "undo", "update",
)  # fmt: skip


class ScopedMemory:
    """Made by `Memory.scope`. Verbs as in `Memory`, for one scope."""

    def __init__(self, memory: Any, ids: Mapping[str, Any]) -> None:
        self._memory = memory
        self._ids = {name: value for name, value in ids.items() if value is not None}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        raise AttributeError(f"a scoped memory has no {name!r}; its verbs are {', '.join(VERBS)}")

    def _verb(self, name: str) -> Callable[..., Any]:
        verb = getattr(self._memory, name)

        @functools.wraps(verb)
        def bound(*args: Any, **kwargs: Any) -> Any:
            for key, value in self._ids.items():
                if kwargs.get(key) not in (None, value):
                    raise InvalidScope(f"{key}={kwargs[key]!r:.80} contradicts the bound {key}={value!r:.80}")
            return verb(*args, **{**kwargs, **self._ids})

        return bound

    def close(self, save: Sequence[str] = ()) -> Any:
        """End the session that is bound, and keep the key points in `save`: see `Memory.close_session`."""
        return self.close_session(save)

    def __repr__(self) -> str:
        return f"ScopedMemory({', '.join(f'{key}={value!r}' for key, value in self._ids.items())})"


for _name in VERBS:
    _get = functools.partial(lambda name, scope: scope._verb(name), _name)
    setattr(ScopedMemory, _name, property(_get, doc=f"`Memory.{_name}` for this scope: `help(scope.{_name})`"))
