"""One frozen Settings value; the only place that reads the environment.

In: keyword arguments, or `ZEROMEM_*` variables through `Settings.from_environment()`. Out: numbers and names that the rest
takes as arguments. Nothing is read at import time.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from zeromem.errors import InvalidInput

_MOST = 2**31 - 1
_RANGES: Mapping[str, tuple[int, int]] = {
    "budget": (0, _MOST),
    "window": (0, _MOST),
    "busy_timeout": (0, 86_400),
    "page_cache_kb": (1, _MOST),
    "embed_on_recall": (0, _MOST),
    "embed_batch": (1, 65_536),
    "snapshot_bytes": (0, 2**62),
    "segment_low": (1, _MOST),
    "segment_high": (1, _MOST),
    "segment_overlap": (0, _MOST),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """Defaults that hold for a chat assistant on a laptop; each can be set by `ZEROMEM_<NAME>`.

    Times are seconds, sizes as named.
    """

    db: str = "zeromem.db"
    user: str = "me"  # the command line's user where none is given
    embedder: str = "auto"
    budget: int = 800  # tokens of a context
    window: int = 5  # turns of the named session that the caller still has
    busy_timeout: float = 30.0
    power_safe: bool = False  # True: an acknowledged add also survives power loss (one fsync an add)
    page_cache_kb: int = 16_384
    embed_on_recall: int = 16  # pending cards that a recall embeds itself before it searches
    embed_batch: int = 32
    snapshot_bytes: int = 512 * 1024 * 1024  # least recently used scopes beyond this leave memory
    segment_low: int = 200  # words
    segment_high: int = 500
    segment_overlap: int = 40

    def __post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
                raise InvalidInput(
                    f"{name} (ZEROMEM_{name.upper()}) must be from {least:,} to {most:,}, not {value!r:.40}"
                )
        for name in ("db", "user", "embedder"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                raise InvalidInput(
                    f"{name} (ZEROMEM_{name.upper()}) must be a string that is not blank, not {value!r:.40}"
                )
        if not self.segment_overlap < self.segment_low <= self.segment_high:
            raise InvalidInput("segment_overlap must be less than segment_low, and that at most segment_high")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None, **given: Any) -> Settings:
        """Settings from `ZEROMEM_*` variables, then from keywords; an unreadable value is an InvalidInput naming it."""
        source = os.environ if environment is None else environment
        values: dict[str, Any] = {}
        for field in fields(cls):
            text = source.get(f"ZEROMEM_{field.name.upper()}")
            if text is not None and text != "":
                values[field.name] = _parse(field.name, text, type(field.default))
        return replace(cls(**values), **given)


def _parse(name: str, text: str, kind: type) -> Any:
    if kind is bool:
        if text.lower() in ("1", "true", "yes", "on"):
            return True
        if text.lower() in ("0", "false", "no", "off"):
            return False
        raise InvalidInput(f"ZEROMEM_{name.upper()} must be true or false, not {text!r}")
    try:
        return kind(text)
    except ValueError:
        raise InvalidInput(f"ZEROMEM_{name.upper()} must be a {kind.__name__}, not {text!r}") from None
