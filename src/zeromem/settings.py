"""One frozen Settings value; the only place that reads the environment.

In: keyword arguments, or `ZEROMEM_*` variables through `Settings.from_environment()`. Out: numbers and names of the right type
and in range, that the rest takes as arguments without a look. Nothing is read at import time.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, Self

from zeromem.errors import InvalidInput
from zeromem.rules import presets

# The smallest value of each number; the largest is what 32 bits hold (of bytes: 64).
_LEAST = {"budget": 0, "window": 0, "busy_timeout": 0, "page_cache_kb": 1, "embed_on_recall": 0, "embed_batch": 1,
          "snapshot_bytes": 0, "segment_low": 1, "segment_high": 1, "segment_overlap": 0,
          "short_days": 0, "short_cards": 0, "storage": 0, "raw_turns": 0, "chat_timeout": 0.001, "chat_calls": 0, "chat_tokens": 0,
          "chat_price_prompt": 0, "chat_price_completion": 0}  # fmt: skip
_MOST = {"busy_timeout": 2_000_000, "snapshot_bytes": 2**63 - 1}
_CHOICES = {"redact": ("secrets", "personal", "off")}
_BLANK = ("rules", "chat_url", "chat_model", "chat_upkeep_model", "chat_key")  # may be left empty
_SECRET = ("chat_key",)  # stands in no message
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}


@dataclass(frozen=True, slots=True)
class Settings:
    """Defaults that hold for a chat assistant on a laptop; each can be set by `ZEROMEM_<NAME>`.

    Times are seconds, sizes as named. A `preset` changes the defaults for one kind of agent. A value of the wrong type or out of range is
    an InvalidInput that names the field, or the variable it came from.
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
    preset: str = "assistant"  # which rows of the route table and which of these defaults: see rules/presets.toml
    rules: str = ""  # a file with kinds, slots and rules of one's own, see encode/extending.py
    short_days: float = 7.0  # how long the short tier holds a memory
    short_cards: int = 1000  # and how many of the newest
    summaries: bool = True  # of sessions that have come to rest, made by `maintain`
    storage: float = 0.0  # characters that search can show of a scope, or below 1 a share of what was said; 0: no end
    raw_turns: int = 20  # memories said last, which stay as they were said
    background: bool = True  # embed what adds leave pending in a thread of its own
    redact: str = "secrets"  # masked before storage: keys, passwords, cards; "personal": e-mail, phone, identity numbers too; "off"
    chat_url: str = ""  # of an OpenAI-compatible endpoint; blank: no chat model, and nothing is sent anywhere
    chat_model: str = ""
    chat_upkeep_model: str = ""  # a cheaper one for `maintain`; blank: the same
    chat_key: str = field(default="", repr=False)
    chat_timeout: float = 60.0
    chat_calls: int = 0  # that an open memory may make; 0: without limit
    chat_tokens: int = 0  # that they may take
    chat_price_prompt: float = 0.0  # money for a million tokens
    chat_price_completion: float = 0.0
    _given: frozenset[str] = field(init=False, repr=False, compare=False)  # what the caller chose

    def __new__(cls, *args: Any, **given: Any) -> Self:
        made = object.__new__(cls)
        names = [told.name for told in _told(cls)]
        # All of them at once come from `dataclasses.replace`, which says nothing of what was chosen.
        chosen = frozenset({*names[: len(args)], *given})
        object.__setattr__(made, "_given", chosen if len(chosen) < len(names) else frozenset())
        return made

    def __post_init__(self) -> None:
        for told in _told(self):
            _checked(told.name, getattr(self, told.name), type(told.default))
        for name, value in self._of_preset().items():
            default = next(told.default for told in _told(self) if told.name == name)
            if name not in self._given and getattr(self, name) == default:
                object.__setattr__(self, name, _checked(name, value, type(default)))
        low, high, overlap = self.segment_low, self.segment_high, self.segment_overlap
        if not (overlap <= low and low + overlap <= high):
            raise InvalidInput(
                f"segment_low, segment_high and segment_overlap (ZEROMEM_SEGMENT_…) must keep overlap <= low and low + overlap <= high, "
                f"not {low=} {high=} {overlap=}"
            )

    def _of_preset(self) -> Mapping[str, Any]:
        """What the preset sets where the caller chose nothing."""
        if self.preset == "assistant":
            return {}
        if self.preset not in presets():
            raise InvalidInput(f"preset must be one of {', '.join(presets())}, not {self.preset!r:.40}")
        found: Mapping[str, Any] = presets()[self.preset].get("settings", {})
        return found

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None, **given: Any) -> Settings:
        """Settings from `ZEROMEM_*` variables, then from keywords; an unreadable value is an InvalidInput naming it."""
        source = os.environ if environment is None else environment
        values: dict[str, Any] = {}
        for told in _told(cls):
            variable = f"ZEROMEM_{told.name.upper()}"
            text = source.get(variable)
            if text is not None and text != "" and told.name not in given:
                values[told.name] = _checked(told.name, _parsed(text, type(told.default)), type(told.default), variable)
        return cls(**{**values, **given})


def _told(settings: Settings | type[Settings]) -> list[Field[Any]]:
    """The fields that a caller may give."""
    return [one for one in fields(settings) if one.init]


def _parsed(text: str, kind: type) -> Any:
    """The value that a text stands for; the text itself where it stands for none."""
    if kind is bool:
        words = {
            "1": True,
            "true": True,
            "yes": True,
            "on": True,
            "0": False,
            "false": False,
            "no": False,
            "off": False,
        }
        return words.get(text.lower(), text)
    try:
        return kind(text)
    except ValueError:
        return text


def _checked(name: str, value: Any, kind: Any, label: str = "") -> Any:
    label = label or name
    if name in _SECRET and not isinstance(value, str):
        raise InvalidInput(f"{label} must be {_KINDS[kind]}, not {type(value).__name__}")
    fits: Any = (int, float) if kind is float else kind
    if not isinstance(value, fits) or isinstance(value, bool) is not (kind is bool):
        raise InvalidInput(f"{label} must be {_KINDS[kind]}, not {value!r:.80}")
    if kind is str and name not in _BLANK and (not str(value).strip() or "\0" in str(value)):
        raise InvalidInput(f"{label} must be a name without NUL, not {value!r:.80}")
    if value not in _CHOICES.get(name, (value,)):
        raise InvalidInput(f"{label} must be one of {', '.join(_CHOICES[name])}, not {value!r:.80}")
    if name in _LEAST and not _LEAST[name] <= value <= _MOST.get(name, 2**31 - 1):
        raise InvalidInput(f"{label} must be from {_LEAST[name]} to {_MOST.get(name, 2**31 - 1):,}, not {value!r:.80}")
    return value
