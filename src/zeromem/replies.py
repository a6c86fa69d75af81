"""What a chat model answers, and what a call cost: frozen values without behaviour.

In: nothing. Out: `Reply` with text, tool calls, log probabilities and `Spent`. Knows no model and no wire format.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Message = Mapping[str, Any]  # {"role": "system" | "user" | "assistant" | "tool", "content": "…"}, as OpenAI has it
Messages = Sequence[Message]
Schema = Mapping[str, Any]  # a JSON schema


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls cost: how many, tokens (`cached` ones are of the prompt's), seconds, and money by the prices that were given."""

    calls: int = 0
    prompt: int = 0
    completion: int = 0
    cached: int = 0
    seconds: float = 0.0
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        return self.prompt + self.completion

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.calls + other.calls, self.prompt + other.prompt, self.completion + other.completion,
            self.cached + other.cached, self.seconds + other.seconds, self.cost + other.cost,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Prices:
    """Money for a million tokens of prompt and completion; `cached` is for prompt tokens that the provider had (None: as `prompt`)."""

    prompt: float = 0.0
    completion: float = 0.0
    cached: float | None = None

    def of(self, prompt: int, completion: int, cached: int) -> float:
        """The cost of a call."""
        known = self.prompt if self.cached is None else self.cached
        return ((prompt - cached) * self.prompt + cached * known + completion * self.completion) / 1_000_000


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants called; `arguments` is the JSON text as it came, which may be none."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class TokenChance:
    """A token of the answer with the natural logarithm of its probability, and the likeliest at its place, itself included."""

    token: str
    logprob: float
    likeliest: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. `finish` is why it ended: "stop", "length" (cut off), "tool_calls", or what else the endpoint says."""

    text: str
    model: str
    finish: str = "stop"
    spent: Spent = field(default_factory=Spent)
    tool_calls: tuple[ToolCall, ...] = ()
    logprobs: tuple[TokenChance, ...] = ()
