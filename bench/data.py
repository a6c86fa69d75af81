"""Reads the benchmark sets: conversations with their turns, and the questions about them.

In: the data folder (the parent of the sets) and a set's name. Out: frozen `Turn`, `Question` and `Set` values; what the protocol
leaves out (adversarial, unanswerable, no evidence) is left out here. Times become aware datetimes; naive ones are UTC.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

SETS = ("locomo", "longmemeval_s", "longmemeval", "lifebench_zh", "madial", "realmem", "vehiclemembench")
_POOLED = ("longmemeval",)  # one store for all questions


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as the set holds it; `conversation` is its scope."""

    id: str
    conversation: str
    session: str
    speaker: str | None
    role: str
    text: str
    time: datetime | None
    kind: str = "message"

    @property
    def name(self) -> str | None:
        """The speaker, where that says more than the role."""
        return self.speaker if self.speaker and self.speaker.casefold() != self.role else None


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold. `turns` are gold turn ids (of session-level sets too, where they are known)."""

    id: str
    conversation: str
    text: str
    category: str
    turns: frozenset[str]
    sessions: frozenset[str]
    by_session: bool
    asked: datetime | None = None
    before: datetime | None = None  # what is said from here on is not known yet
    answerable: bool = True


@dataclass(frozen=True, slots=True)
class Set:
    """A set: turns by conversation in order, and the questions that count."""

    name: str
    turns: Mapping[str, Sequence[Turn]]
    questions: Sequence[Question]
    unanswerable: Sequence[Question] = field(default_factory=tuple)

    def timeless(self) -> Set:
        """The same without horizons: what is dated after a question may answer it."""
        return replace(self, questions=tuple(replace(question, before=None) for question in self.questions))

    def first(self, limit: int | None) -> Set:
        """The first `limit` questions and only the conversations that they need."""
        if limit is None:
            return self
        questions = self.questions[:limit]
        needed = {question.conversation for question in questions}
        return replace(self, turns={c: t for c, t in self.turns.items() if c in needed}, questions=questions)


def rows(folder: Path, name: str, file: str) -> list[dict[str, Any]]:
    """The rows of one gzipped JSONL file of a set."""
    with gzip.open(folder / name / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def moment(text: str | None) -> datetime | None:
    """A set's time as an aware datetime."""
    if not text:
        return None
    when = datetime.fromisoformat(text)
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def turn_of(row: Mapping[str, Any], conversation: str | None = None) -> Turn:
    return Turn(
        str(row["turn_id"]), conversation or row["conversation_id"], row["session_id"], row.get("speaker"), row["role"],
        row["text"], moment(row.get("time")), row.get("kind") or "message",
    )  # fmt: skip


def grouped(turns: Iterable[Turn]) -> dict[str, list[Turn]]:
    """Turns by conversation, in their order."""
    out: dict[str, list[Turn]] = {}
    for turn in turns:
        out.setdefault(turn.conversation, []).append(turn)
    return out


def load(folder: Path, name: str, limit: int | None = None) -> Set:
    """A whole set, or its first `limit` questions. Raises FileNotFoundError where the folder lacks the set."""
    pool = "pool" if name in _POOLED else None
    turns = grouped(turn_of(row, pool) for row in rows(folder, name, "turns"))
    session_of = {(c, turn.id): turn.session for c, held in turns.items() for turn in held}
    sources = _memory_turns(folder, session_of) if name == "realmem" else {}
    kept: list[Question] = []
    refused: list[Question] = []
    for row in rows(folder, name, "questions"):
        if row["category"] == "adversarial":
            continue
        question = _question(row, pool, session_of, sources)
        if not question.answerable:
            refused.append(question)
        elif question.turns or question.sessions:
            kept.append(question)
    return Set(name, turns, tuple(kept), tuple(refused)).first(limit)


def _question(
    row: Mapping[str, Any],
    pool: str | None,
    session_of: Mapping[tuple[str, str], str],
    sources: Mapping[tuple[str, str], str],
) -> Question:
    conversation = pool or row["conversation_id"]
    gold = [str(id_) for id_ in row["evidence"]]
    by_session = row["evidence_level"] == "session"
    named = row.get("evidence_turns") or [sources.get((conversation, words)) for words in row.get("memory_used") or ()]
    turns = frozenset(id_ for id_ in named if id_) if by_session else frozenset(gold)
    sessions = frozenset(gold) if by_session else frozenset(session_of[conversation, id_] for id_ in gold)
    asked = moment(row.get("question_time"))
    return Question(
        row["question_id"], conversation, row["question"], row["category"], turns, sessions, by_session, asked,
        _horizon(asked, day_only=row.get("at") is not None), row.get("answerable") is not False,
    )  # fmt: skip


def _horizon(asked: datetime | None, *, day_only: bool) -> datetime | None:
    """From when on nothing is known. LoCoMo asks at the time that its last session bears, so that moment is still known;
    RealMem names the day only and asks in the middle of it, so the whole day is not."""
    return asked if asked is None or day_only else asked + timedelta(seconds=1)


def _memory_turns(folder: Path, session_of: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """RealMem: the turn that each gold memory was made of (its `source_turn` counts from 1 within the session)."""
    out = {}
    for row in rows(folder, "realmem", "gold_memories"):
        id_ = f"{row['session_id']}.{row['source_turn'] - 1}"
        if (row["conversation_id"], id_) in session_of:
            out[row["conversation_id"], row["content"]] = id_
    return out
