"""Facts that a text states: who, what slot, which value, whether so or not so, asserted or planned or past, and where it stands.

In: a text with its role. Out: `extract`, a list of `Claim`. Assistant text yields none. Rules are rows of `rules/<language>/facts.toml`,
matched on the clauses of `encode/clauses.py`. How a row is written:

    [[rule]]
    id = "home.live"             # unique in its language
    slot = "home"                # of rules/slots.toml; left out where the pattern's groups bear the names of slots
    pattern = '''live in (?P<value>.+)'''  # regular expression; {name} is a macro; line breaks with indentation count for nothing
    after = '''\\b(?:a|my) dog\\b'''  # what must stand in the clause before; its groups count too
    triggers = ["live"]          # one of them must stand in the clause (lower case, anywhere)
    at = "body"                  # where it must match: "body" at the predicate, "group" before its adverbs and negations,
                                 # "start" at the subject, "any" anywhere in the clause (each time it occurs)
    as = "thing"                 # how the value is cut: an entry of [values]; else the entry named like the slot, else "thing"
    says = "job"                 # the value, where the text does not name it ("I was fired"); else what was cut
    negated = "flip"             # by a negated clause: "flip" the polarity, "keep" it, "none" = no fact, "only" = a fact only then, -
    negated_slot = "dislikes"    # a negated clause states this slot, +, instead
    who = ["user", "other", "elided"]  # of whom it may speak; "agent" = a clause with "you"; the subject is then the user
    needs / with / without = [marks]  # one of / all of / none of these marks must be on the clause
    roles = ["user", "tool", "document"], polarity = "+", modality = "planned", final = true (later rules skip the clause),
    last = true (only where no rule before found anything), each = {slot = words} (one rule a slot, its words being the macro {kin}),
    change = true (says that something changed)
    slot = "previous": what was told just before, of another subject or (group value) with another value.
    [rule.examples]              # tests: the text, and everything that the whole table finds in it
    "I live in Ghent." = ["user | home | Ghent"]
    "I don't live in Ghent any more." = ["user | home | Ghent | -"]   # a fifth column is the modality
    "Do I live in Ghent?" = []

Groups: `value` (slot of the rule), or any slot's name; `subject` or `of` (else the clause's), `me` (the subject is the user); `old` (a
value that held before: +, past), `not` (a value denied: -), `when`; a group named like a mark (`past`, `planned`, `ended`, `negative`, …)
sets it if it took part.
It judges no truth and stores nothing.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from zeromem.encode.clauses import Clause, clauses
from zeromem.encode.rulebook import PREVIOUS, Rule, Rulebook, rulebook
from zeromem.facts import Claim

Span = tuple[int, int]
_FIELD = re.compile(r"\"([\w-]{1,40})\"\s*:\s*\"?([^\"{}\[\],]{1,200})")
# The first mark that a clause bears is its modality.
_MODALITIES = ("conditional", "uncertain", "planned", "temporary", "past")
_SILENT = frozenset(("condition", "unknown"))  # a clause with such a mark states nothing
# Kin of a child told of, and of a stranger, where nobody else is named ("my colleague married, the wife …").
_OWN = (frozenset(("sibling",)), frozenset(("spouse", "child", "pet")))
_UNSTATED = frozenset(
    ("unreal", "disbelief", "presupposed")
)  # a clause with such a mark states something only to the rules that need it


def extract(
    text: str,
    *,
    role: str = "user",
    speaker: str | None = None,
    books: Mapping[str, Rulebook] | None = None,
) -> list[Claim]:
    """The facts stated in `text`, in order, each once. `speaker` is the name of the text's first person, if known.

    `books` are rules by language, with a user's own (`rulebook.extended`), instead of the house's.
    """
    if role == "assistant":
        return []
    found: dict[tuple[str, str, str, str], Claim] = {}
    if role == "tool" and text.lstrip()[:1] in ("{", "["):
        return list(_record(text))
    previous: list[Claim] = []  # what the last clause of the same text stated that stated anything
    for clause in map(partial(_meant, rulebook("en").slots, previous), clauses(text)):
        told = list(
            _facts(
                clause, text, role, speaker, previous, (books or {}).get(clause.language) or rulebook(clause.language)
            )
        )
        for fact in told:
            for other in previous if fact.rule.partition(".")[2] in rulebook(clause.language).naming else ():
                if (other.subject, other.slot) == (fact.subject, fact.slot) and other.value[:1].islower():
                    found.pop(
                        (other.subject, other.slot, other.value, other.modality), None
                    )  # "a dog" has now its name
            key = (fact.subject, fact.slot, fact.value, fact.modality)
            if key not in found or (fact.when is not None and found[key].when is None):
                found[key] = fact  # "I start there in May" tells when
        previous[:] = told or previous
    return list(found.values())


def _meant(slots: Mapping[str, Any], told: list[Claim], clause: Clause) -> Clause:
    """A clause about "he" or "she" is about the one person or animal that was named just before ("our cat Miso, she's two")."""
    named = {claim.value: claim for claim in told if slots[claim.slot].get("person") and claim.value[:1].isupper()}
    if clause.who != "pronoun" or clause.subject is not None or len(named) != 1:
        return clause
    ((name, claim),) = named.items()
    start = clause.text.find(name, claim.start, claim.end)
    return clause if start < 0 else replace(clause, who="other", subject=(start, start + len(name)))


def _record(text: str) -> Iterator[Claim]:
    """What the fields of a record say, by the words of their keys."""
    fields = [(match[1], match[2].strip(), match.span()) for match in _FIELD.finditer(text)]
    rules = rulebook("en")
    keys = rules.keys
    thing = next((value for key, value, _ in fields if "thing" in keys and keys["thing"].fullmatch(key)), "user")
    for key, value, (start, end) in fields:
        slot = next((slot for slot, pattern in keys.items() if slot != "thing" and pattern.fullmatch(key)), None)
        if slot is not None and value and len(value) <= 60:
            single = rules.slots[slot]["holds"] == "one"
            yield Claim(thing, slot, value, "+", "asserted", None, start, end, False, f"en.keys.{slot}", single)


def _facts(
    clause: Clause, text: str, role: str, speaker: str | None, previous: list[Claim], rules: Rulebook
) -> Iterator[Claim]:
    if not _SILENT.isdisjoint(clause.marks):
        return
    anything = False
    for rule in rules.candidates(clause.words):
        if rule.last and anything:
            continue
        if role not in rule.roles or (rule.at != "any" and clause.who not in rule.who):
            continue
        if (rule.needs and rule.needs.isdisjoint(clause.marks)) or not rule.without.isdisjoint(clause.marks):
            continue
        if not rule.all_of <= clause.marks or not (clause.marks & _UNSTATED) <= rule.needs | rule.all_of:
            continue
        matched = False
        for match in _matches(rule, clause):
            if rule.slot == PREVIOUS:
                facts = _again(rules, rule, clause, match, text, speaker, previous)
            else:
                facts = _resolved(rules, _read(rules, rule, clause, match, text, speaker), previous)
            for fact in facts:
                matched = True
                yield fact
        anything = anything or matched
        if matched and rule.final:
            return


def _matches(rule: Rule, clause: Clause) -> Iterator[re.Match[str]]:
    if rule.at == "any":
        yield from rule.pattern.finditer(clause.text, clause.start, clause.end)
        return
    start = {"body": clause.body, "group": clause.group, "start": clause.start}[rule.at]
    match = rule.pattern.match(clause.text, start, clause.end)
    if match is not None:
        yield match


def _read(
    rules: Rulebook, rule: Rule, clause: Clause, match: re.Match[str], text: str, speaker: str | None
) -> Iterator[Claim]:
    """The facts of one match."""
    groups = _spans(match)
    if rule.told is not None:
        begin, whose = rules.had_by(clause.text, clause.before, clause.antecedent, clause.start)
        if whose is None or (before := rule.after.search(clause.text, begin, clause.start)) is None:
            return
        groups = {**_spans(before), **groups, **({"their": match.span()} if whose else {})}
    marks = clause.marks if rule.at in ("body", "any") else clause.marks - {"negative"}
    marks = marks | {name.partition("_")[0] for name in groups}  # "past_died" marks as "past" does
    refuted = "refuted" in marks  # "it's not true that …" denies what any rule reads
    negated = clause.negations % 2 == 1 if rule.at in ("body", "any") else refuted
    negated = negated != ("negative" in groups)
    ended = "ended" in marks
    denied = negated or ended
    if (
        (refuted and rule.negated == "keep")
        or (rule.negated == "none" and denied)
        or (rule.negated == "only" and not denied)
    ):
        return
    told_mode = "uncertain" if "uncertain" in groups else rule.modality
    modality = told_mode or next((mark for mark in _MODALITIES if mark in marks), "asserted")
    when = groups.get("when", clause.when)
    for slot, name in _slots(rules, rule, groups):
        polarity, told = _polarity(rule, slot, negated=negated, twice=clause.negations > 1, ended=ended)
        if modality == "planned" and polarity == "-" and rule.polarity == "+" and rule.modality is None:
            modality = "asserted"
        kind = rules.kind(rule.kind, slot)
        spans = list(kind.cut(clause.text, *groups[name], when))
        # "The port is 80, not 81", where the pattern's value ended with the number.
        if name == "value" and (match_not := kind.denied.match(clause.text, groups[name][1], clause.end)) is not None:
            spans += [(a, b, True) for a, b, _ in kind.cut(clause.text, match_not.end(), clause.end, None)]
        for first, last, other in spans:
            sign, as_slot, mode = polarity, told, modality
            if other or name == "not":
                sign, as_slot = ("-", told) if rule.negated_slot is None else ("+", rule.negated_slot)
            if name == "old":
                sign, mode = "+", "past"
            timed = when is not None and (mode in ("planned", "conditional", "temporary") or slot == "goal")
            time = text[when[0] : when[1]] if when is not None and timed else None
            for subject in _subjects(rules, rule, clause, match, groups, text, speaker):
                yield Claim(
                    subject, as_slot, rule.says or text[first:last], sign, mode, time, clause.start, clause.end,
                    rule.change or "change" in marks, f"{clause.language}.{rule.id}", rules.slots[as_slot]["holds"] == "one",
                )  # fmt: skip


def _spans(match: re.Match[str]) -> dict[str, Span]:
    return {name: match.span(name) for name, value in match.groupdict().items() if value is not None}


def _resolved(rules: Rulebook, facts: Iterator[Claim], previous: list[Claim]) -> Iterator[Claim]:
    """Facts whose value is a pronoun take the values told before, of the same family ("Ana loves opera, Eva hates it")."""
    for fact in facts:
        if rules.anaphor.fullmatch(fact.value) is None:
            yield fact
            continue
        family = rules.slots[fact.slot].get("family", fact.slot)
        for other in previous:
            if rules.slots[other.slot].get("family", other.slot) == family:
                yield replace(fact, value=other.value)


def _again(
    rules: Rulebook,
    rule: Rule,
    clause: Clause,
    match: re.Match[str],
    text: str,
    speaker: str | None,
    previous: list[Claim],
) -> Iterator[Claim]:
    """What was told before, of another subject ("my sister is", "I don't") or with another value ("now it's Paterson")."""
    groups = match.groupdict()
    for other in previous:
        if groups.get("value") is not None:
            if rule.negated == "only" and other.polarity == "+" and other.modality != "past":
                continue  # "it's sorbet" corrects only what was denied or is past
            if rules.slots[other.slot]["holds"] == "one" or other.slot == "identifier":
                slotted = replace(rule, slot=other.slot, negated="flip")
                for fact in _read(rules, slotted, clause, match, text, speaker):
                    yield replace(fact, subject=other.subject)
                return
            continue
        spans = _spans(match)
        for subject in _subjects(rules, rule, clause, match, spans, text, speaker):
            if subject != other.subject:
                doer = rules.slots[other.slot].get("doer")
                yield replace(
                    other, value=subject if doer else other.value, subject=other.subject if doer else subject,
                    polarity="-" if "negative" in spans else "+", start=clause.start, end=clause.end,
                    rule=f"{clause.language}.{rule.id}",
                )  # fmt: skip


def _slots(rules: Rulebook, rule: Rule, groups: dict[str, Span]) -> Iterator[tuple[str, str]]:
    """Slot and group of every value that was captured."""
    for name in groups:
        if name in ("value", "old", "not"):
            if rule.slot is not None:
                yield rule.slot, name
        elif name in rules.slots:
            yield name, name


def _polarity(rule: Rule, slot: str, *, negated: bool, twice: bool, ended: bool) -> tuple[str, str]:
    if rule.negated == "keep":
        return rule.polarity, slot
    if ended:
        return "-", slot
    if not negated:
        # "It's not that I don't like it" is no liking.
        return ("-", rule.negated_slot) if twice and rule.negated_slot is not None else (rule.polarity, slot)
    if rule.negated_slot is not None:
        return "+", rule.negated_slot
    return ("-" if rule.polarity == "+" else "+"), slot


def _subjects(
    rules: Rulebook,
    rule: Rule,
    clause: Clause,
    match: re.Match[str],
    groups: dict[str, Span],
    text: str,
    speaker: str | None,
) -> Iterator[str]:
    """Whom the fact is about; more than one for "Dalia and Rob"."""
    named = groups.get("subject") or groups.get("of")
    bare = named is None and "me" in groups and _bare(clause, groups)
    owner = rules.owner.fullmatch(clause.text, clause.start, groups["me"][0]) if bare else None
    if owner is not None:
        yield from filter(None, (owner["who"],))  # "Bart and his cousin Adam": no cousin of the user
        return
    if named is not None:
        span: Span | None = named
    elif "their" in groups:
        span = clause.antecedent
    elif clause.owner is not None and _bare(clause, groups) and rule.slot in _OWN["theirs" in clause.marks]:
        span = clause.owner
    elif clause.who == "pronoun" and "strangers" in clause.marks and "me" not in groups:
        return  # "she says the budget is 30": hers, whoever she is
    elif "me" in groups or clause.who != "other":
        span = clause.speaker
    else:
        span = clause.subject
    if span is None:
        yield "user"
        return
    start, end = span
    start, end = _name(rules, clause.text, start, end) or (start, end)
    pieces = [(start, end)]
    if named is None:
        pieces, first = [], start
        for cut in rules.subject_split.finditer(clause.text, start, end):
            pieces.append((first, cut.start()))
            first = cut.end()
        pieces.append((first, end))
    for first, last in pieces:
        lead = rules.subject_lead.match(clause.text, first, last)
        first = lead.end() if lead is not None and lead.end() < last else first
        first, last = _name(rules, clause.text, first, last) or (first, last)
        words = rules.subject_tail.sub("", text[first:last].strip(" ,，\"'“”「」"))
        words = _theirs(rules, clause, text, words) if span != clause.owner else words
        if words and rules.subject_reject.match(words) is None:
            yield "user" if words == speaker else words


def _theirs(rules: Rulebook, clause: Clause, text: str, words: str) -> str:
    """Kin of somebody told of, named by both: "the colleague's wife"."""
    if clause.owner is None or "theirs" not in clause.marks or rules.nearest.fullmatch(words) is None:
        return words
    start, end = _name(rules, clause.text, *clause.owner) or clause.owner
    return f"{text[start:end].lstrip('我')}的{words}"


def _bare(clause: Clause, groups: dict[str, Span]) -> bool:
    """Whether no word says that the first person is meant ("wife", not "my wife")."""
    start, end = groups.get("me", (0, 0))
    return start == end and clause.text[max(0, start - 1) : start] not in ("我", "们", "家", "的")


def _name(rules: Rulebook, text: str, start: int, end: int) -> Span | None:
    """The name in "my sister Ana"."""
    lead = rules.subject_lead.match(text, start, end)
    name = rules.subject_name.match(text, lead.end() if lead is not None else start, end)
    return None if name is None else name.span("name")
