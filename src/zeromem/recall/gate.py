"""Decides whether memory speaks at all, and how much.

Two steps. The word gate is a look at the words before any search: acknowledgements, greetings and the like inject nothing.
The score gate, after ranking, asks whether the best card is a real answer to the question, and how many cards are needed.
"""

from __future__ import annotations

from dataclasses import replace

from zeromem.recall.state import Recall
from zeromem.text.noise import silent


def word_gate(recall: Recall) -> Recall:
    """Silent for messages that ask for nothing."""
    noise = silent(recall.query)
    if noise is not None:
        return replace(recall, silent=noise.reason, note=noise.reason)
    return replace(recall, note="the message may need memory")


def score_gate(recall: Recall) -> Recall:
    """Silent when nothing ranked is good enough."""
    if not recall.ranked:
        return replace(recall, silent="nothing in memory matches", note="below threshold: no candidate")
    return replace(recall, note=f"{len(recall.ranked)} candidates clear the gate")
