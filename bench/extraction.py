"""Measures what is written down: how many gold memories of a set stand in one card, or one fact, of their session.

In: the data folder (realmem: 1,509 memories that people drew from sessions of long projects). Out: shares of gold memories of which one unit of
their session holds all atoms and a share of the content words: at least 60 %, as the protocol has it for cards, and all. Units are the raw turns
(the baseline), the cards, cards and single facts, cards together with their facts, the summary that `maintain` makes of a session, and, as a
bound for any single unit, the whole session. The label in brackets before a memory and the words "user" and "assistant" are the annotators', and
do not count.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean
from typing import Any

from bench import data
from bench.memories import Filled
from bench.metrics import WITHIN_CARD, folded
from zeromem.text.atoms import atoms
from zeromem.text.words import content, terms

_LABEL = re.compile(r"【[^】]*】")
_ROLES = re.compile(r"\b(?:user|assistant|ai)(?:'s)?\b", re.IGNORECASE)
_ALL = 1000
_AFTER = "2100-01-01"  # all sessions have come to rest


def measure(folder: Path, limit: int | None) -> dict[str, Any]:
    """realmem, without a model: what is written down does not depend on one."""
    gold = data.rows(folder, "realmem", "gold_memories")[:limit]
    needed = {row["conversation_id"] for row in gold}
    turns = data.grouped(data.turn_of(row) for row in data.rows(folder, "realmem", "turns"))
    units: dict[str, dict[str, list[str]]] = {}
    counts = {"turns": 0, "cards": 0, "facts": 0, "summaries": 0}
    with Filled(None) as memory:
        for conversation in needed:
            memory.add(turns[conversation])
            memory.memory.maintain(user=conversation, at=_AFTER)
            print(f"  {conversation}: {len(turns[conversation])} turns", file=sys.stderr)
            _add_units(units, memory, conversation, turns[conversation], counts)
    shares: dict[str, list[tuple[bool, bool]]] = {}
    for row in gold:
        words, marks = _wanted(row["content"])
        for name, texts in units[row["session_id"]].items():
            held = [_held(text, words, marks) for text in texts]
            best = max(held, default=0.0)
            shares.setdefault(name, []).append((best >= WITHIN_CARD, best == 1.0))
    return {
        "dataset": "realmem gold_memories", "n": len(gold), **counts,
        "summary_share": round(_characters(units, "summary") / max(1, _characters(units, "session")), 4),
        **{name: {"60 %": round(fmean(a for a, _ in rows), 4), "all": round(fmean(b for _, b in rows), 4)} for name, rows in shares.items()},
    }  # fmt: skip


def _add_units(
    units: dict[str, dict[str, list[str]]],
    memory: Filled,
    conversation: str,
    turns: Iterable[data.Turn],
    counts: dict[str, int],
) -> None:
    """The texts of each session, by kind of unit."""
    facts: dict[str, list[str]] = {}
    for fact in memory.memory.facts(user=conversation, include_superseded=True):
        facts.setdefault(str(fact.pointer), []).append(f"{fact.subject} {fact.slot.replace('_', ' ')} {fact.value}")
        counts["facts"] += 1
    for turn in turns:
        kinds = units.setdefault(
            turn.session,
            {
                "raw_turn": [],
                "card": [],
                "card_or_fact": [],
                "card_with_facts": [],
                "summary": [],
                "card_or_summary": [],
                "session": [],
            },
        )
        kinds["raw_turn"].append(turn.text)
        counts["turns"] += 1
    cursor = None
    while True:
        page = memory.memory.list(user=conversation, limit=_ALL, cursor=cursor)
        for card in page:
            own = facts.get(card.pointer, [])
            for session in {event.scope.session for event in memory.memory.expand(card.id).events}:
                kinds = units[str(session)]
                kinds["card_or_summary"].append(card.text)
                if card.kind == "summary":
                    kinds["summary"].append(card.text)
                    continue
                kinds["card"].append(card.text)
                kinds["card_or_fact"] += [card.text, *own]
                kinds["card_with_facts"].append("\n".join([card.text, *own]))
            counts["summaries" if card.kind == "summary" else "cards"] += 1
        cursor = page.cursor
        if cursor is None:
            break
    for kinds in units.values():
        kinds["session"] = ["\n".join(kinds["raw_turn"])]


def _characters(units: dict[str, dict[str, list[str]]], kind: str) -> int:
    """Characters of a kind of unit, in the sessions that have a summary."""
    return sum(len(text) for kinds in units.values() if kinds["summary"] for text in kinds[kind])


def _wanted(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The content words and the atoms of a gold memory."""
    told = _ROLES.sub(" ", _LABEL.sub(" ", text))
    return frozenset(content(terms(told))), tuple(folded(atom.text) for atom in atoms(told))


def _held(text: str, words: frozenset[str], marks: Iterable[str]) -> float:
    """The share of the words that a text holds; nothing where an atom is missing."""
    there, plain = set(terms(text)), folded(text)
    if any(mark not in plain for mark in marks):
        return 0.0
    return sum(word in there for word in words) / len(words) if words else 1.0
