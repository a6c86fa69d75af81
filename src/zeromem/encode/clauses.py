"""The shared clause splitter: a text becomes clauses, each with its subject, where its predicate begins, and its marks.

In: one text. Out: `clauses`, in order. A clause knows who speaks (a quote belongs to its speaker), who it is about, how often it is
negated, and its marks: conditional, uncertain, planned, temporary, past, ended, standing (from now on), change, and so on. Sentences
that state nothing (questions, hypotheticals, examples, fiction, code, quotes of nobody) are left out. All words come from the tables
`rules/*/clauses.toml` (their head says what each key means); a sentence with a Chinese character is read by the Chinese table.
Linear: a sentence of more than 1,000 characters is no prose and is skipped. It understands no meaning and finds no facts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest
from typing import Literal

from zeromem.encode.grammar import Grammar, Span, grammar
from zeromem.encode.persons import introduced, mentioned, owner
from zeromem.encode.plain import CODE, HAN, LONGEST, own, quotes, spans_of

Who = Literal["user", "agent", "other", "pronoun", "it", "generic", "elided"]
_WHO: dict[str, Who] = {"user": "user", "agent": "agent", "generic": "generic"}
_SCRAPS = ("", "that")  # pieces that are no clause, cut from one: "That | was a joke"
_TWICE = 4  # texts that are kept: each is read for its clauses and then for its sentences
_FAR = 300  # characters of a text in which a sentence without a subject no longer speaks of the user, unless the one before does


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a text that may state something. All numbers are offsets into `text`, which is as long as the original."""

    text: str
    language: str
    start: int  # of the clause, its conjunction and lead-in left out
    group: int  # where adverbs, auxiliaries and negations before the predicate begin
    body: int  # where the predicate itself begins
    end: int
    who: Who
    subject: (
        Span | None
    )  # the words of a subject that is no first or second person; of a pronoun, those of its antecedent
    antecedent: Span | None  # the subject of the clause before
    speaker: Span | None  # the words for who is quoted
    negations: int
    marks: frozenset[str]
    sentence: Span
    when: Span | None  # the time words
    before: int  # where the clause before begins; without one, where this does
    owner: Span | None = None  # whose kin a clause marked "theirs" tells of

    @property
    def words(self) -> str:
        return self.text[self.start : self.end]


def clauses(text: str) -> list[Clause]:
    """The clauses of `text` that may state something, in order."""
    found: list[Clause] = []
    text, quoted = _read(text)
    for start, end in spans_of(text):
        last = found[-1] if found else None
        cut = _sentence(text, start, end, None, last)
        if last is not None and "listed" in last.marks and text[start - 1] in ";；":
            cut = [_marked(clause, "listed") for clause in cut]  # "to do: call Ana; buy milk"
        found += cut
    for original, (start, end), speaker in quoted:
        for begun, ended in spans_of(original, start, end):
            found += _sentence(original, begun, ended, speaker, None)
    telling = [clause for clause in found if clause.words.strip().casefold() not in _SCRAPS]
    found = [_come_to_nothing(clause, behind) for clause, behind in zip_longest(telling, telling[1:])]
    for language in {clause.language for clause in found}:
        if grammar(language).request.search(text):
            found = [_requested(clause) if clause.language == language else clause for clause in found]
    return sorted(found, key=lambda clause: clause.start)


@lru_cache(_TWICE)
def _read(text: str) -> tuple[str, list[tuple[str, Span, Span]]]:
    """A text without what is not its own, and its quotes, which stand in it as blanks."""
    return quotes(own(text))


def _come_to_nothing(clause: Clause, behind: Clause | None) -> Clause:
    """Marked as unreal where the clause behind says so ("I moved to Rome. That fell through.")."""
    if behind is None or "undone" not in behind.marks or behind.speaker != clause.speaker:
        return clause
    told = grammar(behind.language).marks["undone"].match(behind.text, behind.start, behind.end)
    return clause if told is None else _marked(clause, "unreal")


def _requested(clause: Clause) -> Clause:
    """Marked as of a text that asks for something: of no day it may be the task itself, without a subject its terms."""
    task = ("task",) if "future" not in clause.marks else ()
    return _marked(clause, "request", *task, *(("terms",) if clause.who == "elided" else ()))


def _marked(clause: Clause, *marks: str) -> Clause:
    return replace(clause, marks=clause.marks | set(marks))


def sentences(text: str) -> Iterator[tuple[str, int, int, str]]:
    """The sentences of `text` that may state something: the plain text, start, end, language. Quotes of speakers are blanked."""
    text, _ = _read(text)
    for start, end in spans_of(text):
        if end - start > LONGEST or end - start < 2 or CODE.search(text[start:end]):
            continue
        language = "zh" if HAN.search(text, start, end) else "en"
        rules = grammar(language)
        while start < end and text[start] in " -*>#•\n":
            start += 1
        part = rules.stating(text, start, end)
        unsaid = [rules.marks[mark] for mark in ("undone", "refutes") if mark in rules.marks]
        if part is not None and any(pattern.search(text, *part) is not None for pattern in unsaid):
            continue
        if part is not None and rules.asks.search(text, *part) is None:
            yield text, *part, language


def _sentence(text: str, start: int, end: int, speaker: Span | None, previous: Clause | None) -> list[Clause]:
    """The clauses of one sentence."""
    if end - start > LONGEST or end - start < 2 or CODE.search(text[start:end]):
        return []
    rules = grammar("zh" if HAN.search(text, start, end) else "en")
    while start < end and not (text[start].isalnum() or text[start] in "#@<([《"):
        start += 1
    if (part := rules.stating(text, start, end)) is None:
        return [_asked(rules, text, (start, end), speaker)] if rules.presupposing(text, start, end) else []
    start, end = part
    if speaker is None and (named := rules.attributed.search(text, start, end)) is not None:
        speaker, end = named.span("who"), named.start()  # "I live in Bath, said Tom"
    if speaker is None and (said := rules.transcript.match(text, start, end)) is not None:
        speaker, start = said.span("who"), said.end()
    while end > start and (text[end - 1] in ".!。！…;；,， \n" or text[end - 1].isspace()):
        end -= 1
    found: list[Clause] = []
    spread: set[str] = set()
    last = previous if previous is not None and previous.speaker == speaker else None
    for first, stop in _pieces(rules, text, start, end):
        if rules.asks.search(text, first, stop) is not None and rules.polite.search(text, first, stop) is None:
            continue
        clause = _clause(rules, text, (first, stop), (start, end), speaker, last, bool(found))
        if (
            found
            and last is not None
            and "reports" in last.marks
            and (last.who in ("agent", "generic", "pronoun") or last.negations % 2)
        ):
            continue  # "you said that …", "I never said that …"
        clause = _doubted(clause, found[-1] if found else None)
        spread |= {told for mark in clause.marks & rules.spread.keys() for told in rules.spread[mark]}
        found.append(clause)
        last = clause
    if len(found) > 1 and "reports" in found[-1].marks and ("hearsay" in found[-1].marks or found[-1].who == "pronoun"):
        found = [
            _marked(clause, "uncertain") if clause.who == "user" else clause for clause in found
        ]  # ", she told me"
    if spread:
        found = [_marked(clause, *spread) for clause in found]
    return found


def _doubted(clause: Clause, before: Clause | None) -> Clause:
    """Denied or unreal where the clause before says so ("it's not true that …"), uncertain where it is others' talk ("ChatGPT says …")."""
    told = before.marks if before is not None else frozenset[str]()
    if "refutes" in told:
        return replace(clause, negations=clause.negations + 1, marks=clause.marks | {"refuted"})
    if "spurns" in told:
        return _marked(clause, "unreal")
    others = "sourced" in told | clause.marks or {"reports", "hearsay"} <= told
    return _marked(clause, "uncertain") if others and clause.who == "user" else clause


def _asked(rules: Grammar, text: str, span: Span, speaker: Span | None) -> Clause:
    """A question or request as one clause: only what it takes for granted is stated."""
    start, end = span
    marks = frozenset(("presupposed",) if speaker is None else ("presupposed", "quoted"))
    return Clause(
        text, rules.language, start, start, start, end, "elided", None, None, speaker, 0, marks, span, None, start
    )


def _pieces(rules: Grammar, text: str, start: int, end: int) -> Iterator[Span]:
    """Cut at commas and conjunctions behind which a clause of its own begins."""
    for match in rules.breaks.finditer(text, start, end):
        if match.start() <= start or rules.unbroken.fullmatch(text, start, match.start()):
            continue
        if rules.verb.match(text, match.end(), end) and rules.carried.match(text, start, match.end()):
            continue  # "I need to call Ana and buy milk" is one need
        dash = match[0].strip() in ("–", "—")
        opened = match[0].startswith((",", "，")) and rules.opening.match(text, start, end)
        if dash or opened or rules.restart.match(text, match.end(), end):
            yield start, match.start()
            start = match.end()
    if start < end:
        yield start, end


def _clause(
    rules: Grammar, text: str, span: Span, sentence: Span, speaker: Span | None, last: Clause | None, same: bool
) -> Clause:
    """One clause, read from left to right: lead-in, subject, verb group. `last` is the clause before, `same` if of this sentence."""
    position, end = span
    if (match := rules.final.search(text, position + 1, end)) is not None:
        end = match.start()
    marks: set[str] = set()
    negations = 0
    while (match := rules.lead.match(text, position, end)) and match.end() > position:
        mark = str(match.lastgroup)
        negations += "negative" in rules.implies.get(mark, ())
        marks.add(mark)
        position = match.end()
    start = position
    who: Who = "elided"
    subject: Span | None = None
    match = rules.subject.match(text, position, end)
    if match is not None and match.end() > position:
        position = match.end()
        kind = str(match.lastgroup)
        who, subject = _who(rules, text, kind, match.span(kind), last)
    elif rules.relative.match(text, span[0]):  # "a new pan, which is a joy"
        who = "it"
    elif same and last is not None and (known := introduced(rules, text, last, span[0])) is not None:
        who, subject = "other", known
    elif same and last is not None and "condition" not in last.marks:
        who, subject = last.who, last.subject
    elif rules.language == "zh" and len(text) > _FAR and (last is None or last.who != "user"):
        who = "pronoun"  # advice, notes, articles: whose, is not said
    if match is None and who in ("user", "elided") and rules.disagrees.match(text, position, end):
        who = "pronoun"
    group = position
    while (match := rules.group.match(text, position, end)) and match.end() > position:
        mark = str(match.lastgroup)
        negations += mark == "negative" or "negative" in rules.implies.get(mark, ())
        marks.add(mark)
        position = match.end()
    marks |= _marks(rules, text, span, subject)
    marks.update(("lower",) if text[sentence[0] : sentence[1]].islower() else ())
    marks.update(("quoted",) if speaker is not None else ())
    antecedent = last.subject if last is not None else None
    marks.update(("antecedent",) if antecedent is not None else ())
    theirs = owner(rules, text, who, subject, last, span[0]) if same and last is not None else None
    marks.update(theirs[1:] if theirs is not None else ())
    marks.update(implied for mark in tuple(marks) for implied in rules.implies.get(mark, ()))
    return Clause(
        text, rules.language, start, group, position, end, who, subject, antecedent, speaker, negations, frozenset(marks),
        sentence, _when(rules, text, span[0], end), start if last is None else last.start, theirs and theirs[0],
    )  # fmt: skip


def _when(rules: Grammar, text: str, start: int, end: int) -> Span | None:
    """The time words of a clause; those at its end belong to the predicate."""
    timed = rules.cued("when", text[start:end].casefold())
    times = [match.span() for match in rules.when.finditer(text, start, end)] if timed else []
    return None if not times else times[-1] if times[-1][1] == end else times[0]


def _marks(rules: Grammar, text: str, span: Span, subject: Span | None) -> set[str]:
    """The marks that stand anywhere in a clause, and those of its subject's words."""
    low = text[span[0] : span[1]].casefold()
    marks = {mark for mark, pattern in rules.marked(low) if pattern.search(text, *span)}
    if subject is not None:
        marks |= {mark for mark, pattern in rules.about.items() if pattern.match(text, *subject)}
    return marks


def _who(rules: Grammar, text: str, kind: str, span: Span, last: Clause | None) -> tuple[Who, Span | None]:
    if kind == "pronoun":
        if last is not None and last.subject is not None:
            theirs = rules.possessor.fullmatch(text, *last.subject)
            return "other", last.subject if theirs is None else theirs.span("who")
        known = mentioned(rules, text, last, span)
        return ("pronoun" if known is None else "other"), known
    if kind == "it":
        thing = last is not None and last.subject is not None and "person_subject" not in last.marks
        return ("other", last.subject) if last is not None and thing else ("it", None)
    if kind in ("other", "appended"):
        return "other", span
    return _WHO[kind], None
