"""Makes the opaque ids of events, cards and contexts: a letter, the time, and randomness that cannot be guessed.

In: a letter and microseconds since 1970. Out: 27 characters that sort by time, so that indexes grow at their end.
"""

from __future__ import annotations

import os


def new_id(letter: str, now: int) -> str:
    return f"{letter}{max(0, now):014x}{os.urandom(6).hex()}"
