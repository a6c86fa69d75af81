"""Rows of a tiny set in the shape of the benchmark data."""

from __future__ import annotations

from typing import Any


def turn(
    id_: str, text: str, time: str, *, session: str = "s1", speaker: str = "Ana", conversation: str = "c1"
) -> dict[str, Any]:
    return {"conversation_id": conversation, "session_id": session, "turn_id": id_, "time": time, "speaker": speaker,
            "role": "user", "text": text}  # fmt: skip


def question(id_: str, text: str, evidence: list[str], **more: Any) -> dict[str, Any]:
    return {"question_id": id_, "conversation_id": "c1", "question": text, "answer": "", "category": "single-hop",
            "evidence": evidence, "evidence_level": "turn", "lang": "en", "question_time": "2024-02-01T09:00:00",
            "answerable": True, **more}  # fmt: skip
