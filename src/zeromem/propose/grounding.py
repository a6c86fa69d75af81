"""Whether a source says what a candidate says: the same words, numbers and names, of the same person, as surely, and denied alike.

In: a candidate and a message. Out: the spans of the message that it stands on, or the reason why it stands on none. Each clause of the
candidate wants a clause of the message, or a few in a row, that hold all its words or inflections of them; that is about whom it is
about; that is negated as it is; and that is marked as it is (planned, past, uncertain, conditional, …). Clauses, whom they are about and their marks
come from `encode/clauses.py`, so a question, an example or a quote of somebody else supports nothing. Pure; it errs towards refusing, for what
is refused is kept for a human, and the message itself stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from zeromem.encode.clauses import Clause, clauses
from zeromem.refine.reading import turns
from zeromem.rules import weighing
from zeromem.text.times import find
from zeromem.text.words import HAN, content, fold, identifiers, is_stop, names, terms

Spans = tuple[tuple[int, int], ...]
_RUN = 3  # clauses in a row that a clause of a candidate may stand on
_ALIKE = 0.8  # share of the words in either of two texts that are in both, from which they say the same
# What a clause says of how it holds; a candidate must say it too, and nothing of it on top.
_BINDING = frozenset((
    "conditional", "condition", "uncertain", "planned", "past", "ended", "temporary", "unreal", "refuted", "hypothetical", "wish", "future", "undone",
))  # fmt: skip
# And by the tables of words (`rules/*/grounding.toml`), which know more ways to say so.
_SORTS = ("possible", "wished", "conditional", "limited", "often", "former", "required", "tried")
_HAN_WORD = re.compile(f"[{HAN}]+")
_USER = re.compile("^(?:该|这位)?用户")
_USERS = re.compile(r"^(?:the )?user['’]s\s+", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W_]+")
_FIRST = frozenset(("i", "we", "我", "我们"))
_SELF = frozenset(("user", "用户", "speaker", "i", "me", "my", "我"))


@dataclass(frozen=True, slots=True)
class Source:
    """A message, or the part of one, that a model was shown."""

    text: str
    role: str
    speaker: str | None
    at: str


def grounded(candidate: str, source: Source) -> tuple[Spans, str]:
    """The spans of the source that support every clause of the candidate; or none, and why."""
    said, why = clauses(source.text), ""
    # The tables know "I" better than "the user", where somebody speaks of one.
    for text in dict.fromkeys((candidate, _USER.sub("我", _USERS.sub("My ", candidate)))):
        found, reason = _grounded(text, said, source)
        if found:
            reason = _bent(text, source.text[min(a for a, _ in found) : max(b for _, b in found)])
        if found and not reason:
            return found, ""
        why = why or reason
    return (), why


def _bent(candidate: str, region: str) -> str:
    """What a candidate leaves out of the words around it, though it turns what they say: denials, endings, wishes, limits, conditions."""
    lost = sorted(turns(region) - turns(candidate))
    return f"the source says it otherwise: {', '.join(lost[:3])}" if lost else ""


def _grounded(candidate: str, said: Sequence[Clause], source: Source) -> tuple[Spans, str]:
    stated = clauses(candidate)
    if not stated or len(terms(candidate)) < 2:
        return (), "it states nothing"
    spans: list[tuple[int, int]] = []
    for clause in stated:
        found, why = _supported(clause, candidate, stated, said, source)
        if not found:
            return (), why
        spans.append(found)
    return tuple(sorted(set(spans))), ""


def keys(text: str) -> frozenset[str]:
    """What two texts are compared by: stems of the words that carry a topic, and the Han characters that do."""
    out: set[str] = set()
    for term in content(terms(text)):
        if _HAN_WORD.fullmatch(term):
            out.update(_bare(term))
        elif not is_stop(term) or term.isdigit():
            out.add(term)
    return frozenset(out)


def alike(one: str, other: str) -> bool:
    """Whether two texts say the same: nearly the same words, the same numbers, denied alike."""
    mine, theirs = keys(one) - _SELF, keys(other) - _SELF
    if not mine or len(mine & theirs) < _ALIKE * len(mine | theirs) or _numbers(one) != _numbers(other):
        return False
    return _denials(one) == _denials(other)


def copied(candidate: str, examples: Sequence[str]) -> bool:
    """Whether a candidate says what an example of the prompt says."""
    wanted = keys(candidate) - _SELF
    return bool(wanted) and any(wanted <= keys(example) for example in examples)


def _numbers(text: str) -> frozenset[str]:
    return frozenset(term for term in terms(text) if _DIGIT.search(term))


def _denials(text: str) -> int:
    return sum(clause.negations for clause in clauses(text)) % 2


def _supported(
    clause: Clause, candidate: str, stated: Sequence[Clause], said: Sequence[Clause], source: Source
) -> tuple[tuple[int, int] | None, str]:
    """The span of the source that says what a clause of the candidate says; or None, and what the nearest one lacks."""
    wanted = _wanted(clause, candidate, stated, source)
    if not wanted:
        return None, "ungrounded: it says nothing of its own"
    why, nearest = "ungrounded: the source does not say " + ", ".join(sorted(wanted)[:6]), False
    for length in range(1, _RUN + 1):
        for first in range(len(said) - length + 1):
            run = said[first : first + length]
            text = _region(said, first, length)
            held, plain = frozenset(terms(text)), fold(text)
            missing = [word for word in wanted if word not in held and not _stands(word, plain)]
            if missing and not all(_dated(word, clause, text, source) for word in missing):
                if length == 1 and len(missing) < len(wanted) and not nearest:
                    beside = f"ungrounded: beside {run[0].words[:60]!r} the source does not say"
                    why = f"{beside} {', '.join(sorted(missing)[:6])}"
                continue
            problem = _disagreement(clause, candidate, run, wanted, source)
            if not problem:
                return (run[0].start, run[-1].end), ""
            why, nearest = why if nearest else f"ungrounded: {problem}", True
    return None, why


def _wanted(clause: Clause, candidate: str, stated: Sequence[Clause], source: Source) -> frozenset[str]:
    """The words of a clause that the source must hold: those of topic, without the name of the one who speaks."""
    text = candidate[_begin(stated, stated.index(clause)) : clause.end]
    speaker = set(terms(source.speaker or ""))
    return frozenset(
        word for word in content(terms(text)) if word not in _SELF and word not in speaker and not _empty(word)
    )


def _begin(told: Sequence[Clause], place: int) -> int:
    """Where the words of a clause begin: behind the clause before, or with its sentence."""
    before = [other.end for other in told[:place] if other.sentence == told[place].sentence]
    return max([told[place].sentence[0], *before])


def _region(said: Sequence[Clause], first: int, length: int) -> str:
    """The words of a run of clauses, with the subject that they carry on from before."""
    run = said[first : first + length]
    text = run[0].text[_begin(said, first) : run[-1].end]
    carried = [clause.text[slice(*part)] for clause in run for part in (clause.subject, clause.owner) if part]
    return " ".join([text, *carried])


def _bare(word: str) -> str:
    """A Chinese word without the characters that only build forms: 改为, 改成 and 改了 are 改."""
    return weighing("forms", "grounding").sub("", word)


def _empty(word: str) -> bool:
    """Whether a word carries nothing that a source must say."""
    return (is_stop(word) and not _DIGIT.search(word)) or (bool(_HAN_WORD.fullmatch(word)) and not _bare(word))


def _stands(word: str, text: str) -> bool:
    """Whether a Chinese word, in this form or another, stands in a text that is folded, however that is cut into words."""
    return bool(_HAN_WORD.fullmatch(word)) and (word in text or _bare(word) in _bare(text))


def _dated(word: str, clause: Clause, text: str, source: Source) -> bool:
    """Whether a missing word belongs to a date that the source says in other words ("tomorrow")."""
    at = datetime.fromisoformat(source.at)
    meant = {(span.start, span.end) for span in find(text, at)}
    mine = [span for span in find(clause.words, at) if (span.start, span.end) in meant]
    return any(word in terms(span.text) for span in mine)


def _disagreement(clause: Clause, candidate: str, run: Sequence[Clause], wanted: frozenset[str], source: Source) -> str:
    """What keeps a run of clauses with all the words from saying the same; nothing where they do."""
    if any(one.speaker is not None for one in run):
        return "somebody else is quoted"
    denied = {one.negations % 2 for one in run}
    if denied != {clause.negations % 2}:
        return "it is denied differently"
    theirs = _held(run, " ".join(one.words for one in run))
    if differs := theirs ^ _held([clause], clause.words):
        return f"it holds differently ({', '.join(sorted(differs))})"
    if other := _subjects(clause, run, source):
        return other
    if left := _left_out(run[0], wanted):
        return f"it leaves out {left!r}"
    return "" if _in_order(clause.words, run) else "names or numbers stand in another order"


def _held(run: Sequence[Clause], words: str) -> frozenset[str]:
    """How surely, when and whether something holds, as clauses and their words say."""
    told = {sort for sort in _SORTS if weighing(sort, "grounding").search(words)}
    return frozenset(told).union(*(one.marks for one in run)) & (_BINDING | set(_SORTS))


def _subjects(clause: Clause, run: Sequence[Clause], source: Source) -> str:
    """Whom a candidate is about, and whom the source: nothing where they agree."""
    mine = _about(clause, source)
    for one in run:
        if one.who == "user" or (one.who == "elided" and one.subject is None):
            theirs: frozenset[str] = frozenset()
        elif one.subject is not None:
            words = one.text[slice(*one.subject)]
            theirs = _plain(words)
            if not theirs or not _FIRST.isdisjoint(terms(words)[1:]):  # "I told Ben I have a dog"
                return "it is not clear whom the source is about"
        else:
            return "the source is about somebody who is not named"
        if (
            not mine and theirs and clause.who == "elided"
        ):  # "Mr Hall raised the rent": a name that the tables do not take for one
            first = next((word for word in terms(clause.words) if not _empty(word)), "")
            mine = theirs & {first}
        # Without a subject of its own the source may be about what a candidate names in it ("Lead: Ana").
        if one.who == "elided" and mine and mine <= _plain(one.words):
            continue
        if bool(mine) != bool(theirs) or (mine and (not mine & theirs or not mine <= theirs)):
            return "it is about somebody else"
    return ""


def _about(clause: Clause, source: Source) -> frozenset[str]:
    """The words for whom a candidate's clause is about; none for the one who speaks."""
    if clause.subject is None:
        return frozenset()
    return _plain(clause.text[slice(*clause.subject)]) - _SELF - set(terms(source.speaker or ""))


def _plain(words: str) -> frozenset[str]:
    return frozenset(word for word in content(terms(words)) if not _empty(word) and word not in _SELF)


def _left_out(clause: Clause, wanted: frozenset[str]) -> str:
    """The first word of the predicate that a candidate leaves out before its own begin: "buy" of "I want to buy a kayak"."""
    for word in terms(clause.text[clause.body : clause.end]):
        if _empty(word):
            continue
        if word in wanted or (
            _HAN_WORD.fullmatch(word) and any(_bare(word) in other or _bare(other) in word for other in wanted)
        ):
            return ""
        return word
    return ""


def _in_order(words: str, run: Sequence[Clause]) -> bool:
    """Whether names and numbers follow each other as in the source."""
    text = fold(run[0].text[run[0].start : run[-1].end])
    marked = [match[0] for match in _WORD.finditer(words) if _DIGIT.search(match[0])]
    told = {fold(word) for word in (*names(words), *identifiers(words), *marked)}
    mine = sorted((fold(words).find(word), text.find(word)) for word in told if word in text)
    places = [place for _, place in mine]
    return places == sorted(places)
