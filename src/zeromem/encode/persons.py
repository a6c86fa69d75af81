"""Whom a clause goes on about, where the clause before told of somebody else than the user. It reads the clause table, and states nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zeromem.encode.grammar import Grammar, Span

if TYPE_CHECKING:
    from zeromem.encode.clauses import Clause


def owner(
    rules: Grammar, text: str, who: str, subject: Span | None, last: Clause, position: int
) -> tuple[Span, str] | None:
    """Somebody whom the clauses before told of, if this one goes on about them: "theirs", or "siblings" of the user's own child."""
    if subject is not None and text[subject[0]] in "我咱俺":
        return None
    if subject is not None and (match := rules.stranger.search(text, last.start, position)) is not None:
        return match.span("who"), "theirs"
    if who == "user":
        return None
    for mark in ("theirs", "siblings"):
        if last.owner is not None and mark in last.marks:
            return last.owner, mark
    if last.subject is None:
        return None
    if "outsider" in last.marks:
        return last.subject, "theirs"
    return (last.subject, "siblings") if "youngster" in last.marks else None


def mentioned(rules: Grammar, text: str, last: Clause | None, pronoun: Span) -> Span | None:
    """The one of the user's kin whom the clause before mentions and a pronoun at the head of this one can mean ("I called my sister. She's 22")."""
    pattern = rules.mentioned.get(text[slice(*pronoun)].lower())
    if pattern is None or last is None or last.who not in ("user", "elided", "it"):
        return None
    found = list(pattern.finditer(text, last.start, pronoun[0]))
    return found[0].span("who") if len(found) == 1 and found[0]["who"] else None


def introduced(rules: Grammar, text: str, last: Clause, position: int) -> Span | None:
    """Who the clause before brought in, where this one, without a subject, goes on about them ("I have a cousin called Bo, who is 22")."""
    for pattern in rules.introduced:
        match = pattern.search(text, last.start, last.sentence[1])
        if match is not None and match.end() == position:
            return match.span("who")
    return None
