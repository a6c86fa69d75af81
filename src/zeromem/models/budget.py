"""A budget of calls and tokens that several clients and threads share.

In: limits. Out: leave to call, or BudgetSpent. A call is booked before it is made, with the most that it may take, and settled with
what it took, so that threads together never go beyond it. What it cannot know is how a prompt is cut into tokens elsewhere: a prompt is
booked at a token for two bytes, more than any tokenizer in use needs.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from zeromem.errors import BudgetSpent
from zeromem.forks import watch
from zeromem.replies import Spent

_BYTES = 2  # of a prompt for a token, at the least


class Budget:
    """At most `calls` calls and `tokens` tokens; 0 is without limit. `spent` tells what is used up."""

    def __init__(self, calls: int = 0, tokens: int = 0) -> None:
        self.calls = calls
        self.tokens = tokens
        self.spent = Spent()
        self._booked = Spent()
        self._renew()
        watch(self, Budget._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()

    @contextmanager
    def call(self, prompt: int, most: int) -> Iterator[Settled]:
        """Book a call with a prompt of `prompt` bytes and an answer of `most` tokens. Raises BudgetSpent, and then nothing is booked."""
        wanted = Spent(1, -(-prompt // _BYTES), most)
        with self._lock:
            calls = self.spent.calls + self._booked.calls + 1
            tokens = self.spent.tokens + self._booked.tokens + wanted.tokens
            if self.calls and calls > self.calls:
                raise BudgetSpent(
                    f"the budget of {self.calls:,} calls to the model is spent; raise ZEROMEM_CHAT_CALLS, or open the memory again"
                )
            if self.tokens and tokens > self.tokens:
                raise BudgetSpent(
                    f"of the budget of {self.tokens:,} tokens {self.spent.tokens:,} are spent, and this call may take "
                    f"{wanted.tokens:,}; raise ZEROMEM_CHAT_TOKENS, or open the memory again"
                )
            self._booked += wanted
        settled = Settled()
        try:
            yield settled
        finally:
            with self._lock:
                booked = self._booked
                self._booked = Spent(booked.calls - 1, booked.prompt - wanted.prompt, booked.completion - most)
                self.spent += settled.spent


class Settled:
    """What a booked call took; one that failed counts as a call without tokens."""

    def __init__(self) -> None:
        self.spent = Spent(calls=1)
