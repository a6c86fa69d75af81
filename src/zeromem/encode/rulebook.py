"""Fact tables become rules: patterns compiled when first needed, found by their trigger words, values cut to their shortest phrase.

In: the tables `rules/*/facts.toml` and more of the same shape given by the user. Out: `rulebook(language, extra)`; `Rulebook.candidates`
gives the rules a clause may match, `Kind.cut` the spans of a captured value. It decides nothing about clauses or facts.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from zeromem.encode.grammar import Words
from zeromem.errors import InvalidInput
from zeromem.rules import added, expand, slots, table

Span = tuple[int, int]
_NEVER = "(?!)"
PREVIOUS = "previous"  # the slot of the facts stated just before
_KEYS = frozenset(
    ("id", "slot", "each", "with", "at", "after", "pattern", "as", "says", "triggers", "negated", "negated_slot", "polarity", "modality",
     "needs", "without", "who", "roles", "final", "last", "change", "examples")
)  # fmt: skip


class Kind:
    """How a captured value is cut to the shortest phrase that says it (a `[values.*]` entry of a table)."""

    def __init__(self, rules: Mapping[str, Any], macros: Mapping[str, str]) -> None:
        def compiled(key: str) -> re.Pattern[str]:
            return re.compile(expand(rules.get(key, _NEVER), macros), re.IGNORECASE)

        self.stop, self.lead, self.tail, self.reject = map(compiled, ("stop", "lead", "tail", "reject"))
        self.denied = compiled("denied")
        self.split = compiled("split") if "split" in rules else None
        self.times: bool = rules.get("times", True)  # whether the clause's time words are left out

    def cut(self, text: str, start: int, end: int, when: Span | None) -> Iterator[tuple[int, int, bool]]:
        """The value's spans, an item each, and whether a "but not" stands before it."""
        match = self.denied.search(text, start, end)
        if match is not None:
            for first, last, _ in tuple(self.cut(text, match.end(), end, when)):
                yield first, last, True
            end = match.start()
        match = self.stop.search(text, start, end)
        if match is not None:
            end = match.start()
        if self.times and when is not None:
            first, last = _without(text, start, end, when)
            start, end = (first, last) if first < last else (start, end)  # "I like Mondays"
        if self.split is None:
            pieces = [(start, end, False)]
        else:
            pieces, first, negated = [], start, False
            for match in self.split.finditer(text, start, end):
                pieces.append((first, match.start(), negated))
                first = match.end()
                negated = negated or match.lastgroup == "negative"
            pieces.append((first, end, negated))
        for first, last, negated in pieces:
            if self.times and when is not None and when[0] > first:  # "the vet at 4 and then the bank"
                first, last = _without(text, first, last, when)
            first, last = self._trim(text, first, last)
            if first < last and self.reject.match(text, first, last) is None:
                yield first, last, negated

    def _trim(self, text: str, start: int, end: int) -> Span:
        while start < end:
            before = (start, end)
            while start < end and text[start] in " \"'“”「」『』《》,，:：、.":
                start += 1
            inches = text[end - 1 : end] == '"' and text[end - 2 : end - 1].isdigit()
            while start < end and not inches and text[end - 1] in " \"'“”「」『』《》,，:：、.!。！":
                end -= 1
            match = self.lead.match(text, start, end)
            if match is not None and match.end() < end:
                start = match.end()
            match = self.tail.search(text, start, end)
            if match is not None and match.start() > start:
                end = match.start()
            if (start, end) == before:
                break
        return start, end


def _without(text: str, start: int, end: int, when: Span) -> Span:
    """The span without the time words at its border; those in its middle stay."""
    first, last = when
    if first >= end or last <= start:
        return start, end
    if not text[last:end].strip(" ,，."):
        return start, max(start, first)
    return (last, end) if first <= start else (start, end)


@dataclass(frozen=True)
class Rule:
    """One row of a fact table."""

    id: str
    slot: str | None
    at: str
    source: str
    told: str | None
    macros: Mapping[str, str]
    kind: str | None
    says: str | None
    triggers: tuple[str, ...]
    negated: str
    negated_slot: str | None
    polarity: str
    modality: str | None
    needs: frozenset[str]
    all_of: frozenset[str]
    without: frozenset[str]
    who: frozenset[str]
    roles: frozenset[str]
    final: bool
    last: bool
    change: bool
    examples: Mapping[str, list[str]]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(expand(self.source, self.macros), re.IGNORECASE)

    @cached_property
    def after(self) -> re.Pattern[str]:
        return re.compile(expand(self.told or "", self.macros), re.IGNORECASE)


class Rulebook:
    """The rules of one language."""

    def __init__(
        self, rules: Mapping[str, Any], macros: Mapping[str, str], extra: tuple[Mapping[str, Any], ...]
    ) -> None:
        macros = {**macros, **rules.get("macros", {})}
        rows = [row for part in (rules, *extra) for row in part.get("rule", ())]
        # The slots that rows may speak of: the house's and those a user's table brings in its own [slots].
        self.slots = {**slots(), **{name: slot for part in extra for name, slot in part.get("slots", {}).items()}}
        self.rules = [rule for row in rows for rule in _rules(row, macros, rules.get("each_triggers", {}))]
        for rule in self.rules:
            if rule.slot not in (None, PREVIOUS) and rule.slot not in self.slots:
                raise InvalidInput(f"fact rule {rule.id!r}: no slot {rule.slot!r}; add it to [slots] of its table")
        self.rules.sort(key=lambda rule: rule.last)
        self.naming = frozenset(rule.id for rule in self.rules if rule.told is not None)
        denied = {"denied": rules["values"]["thing"].get("denied", _NEVER)}
        self.kinds = {name: Kind({**denied, **entry}, macros) for name, entry in rules["values"].items()}
        self.keys = {slot: re.compile(pattern, re.IGNORECASE) for slot, pattern in rules.get("keys", {}).items()}
        subjects = rules["subjects"]
        self.anaphor = re.compile(expand(subjects.get("anaphor", _NEVER), macros), re.IGNORECASE)
        self.subject_lead = re.compile(expand(subjects["lead"], macros), re.IGNORECASE)
        self.subject_tail = re.compile(expand(subjects.get("tail", _NEVER), macros), re.IGNORECASE)
        self.subject_name = re.compile(expand(subjects["name"], macros), re.IGNORECASE)
        self.subject_split = re.compile(expand(subjects["split"], macros), re.IGNORECASE)
        self.owner = re.compile(expand(subjects.get("owner", "(?P<who>)(?!)"), macros), re.IGNORECASE)
        self.nearest = re.compile(expand(subjects.get("nearest", _NEVER), macros), re.IGNORECASE)
        self.had = re.compile(expand(subjects.get("had", _NEVER), macros), re.IGNORECASE)
        self.shared = re.compile(expand(subjects.get("shared", _NEVER), macros), re.IGNORECASE)
        self.unknown = re.compile(expand(subjects.get("unknown", _NEVER), macros), re.IGNORECASE)
        self.subject_reject = re.compile(expand(subjects["reject"], macros), re.IGNORECASE)
        by_trigger: dict[str, list[int]] = {}
        for number, rule in enumerate(self.rules):
            for trigger in rule.triggers:
                by_trigger.setdefault(trigger, []).append(number)
        self._by_trigger, self._words = by_trigger, Words(by_trigger)

    def candidates(self, words: str) -> list[Rule]:
        """Rules of which a trigger stands in `words`, in the table's order."""
        found = self._words.within(words.casefold())
        numbers = {number for trigger in found for number in self._by_trigger[trigger]}
        return [self.rules[number] for number in sorted(numbers)]

    def had_by(self, text: str, before: int, who: Span | None, start: int) -> tuple[int, bool | None]:
        """Where the clause from `before` to `start` tells of kin or an animal that somebody has, else where it begins, and whether they are
        those of `who`, its subject, not the user's; None: of a "she" who is not known."""
        match = self.had.search(text, max(before, who[1]) if who and who[1] <= start else before, start)
        if match is None:
            return before, False
        if who is None:
            return match.start(), None if self.unknown.fullmatch(text, before, match.start()) else False
        return match.start(), self.shared.fullmatch(text, *who) is None

    def kind(self, name: str | None, slot: str) -> Kind:
        return self.kinds[name] if name else self.kinds.get(slot, self.kinds["thing"])


def _rules(row: Mapping[str, Any], macros: Mapping[str, str], triggers: Mapping[str, list[str]]) -> Iterator[Rule]:
    """A row, or one rule for each slot of its `each`, whose words are then the macro `{kin}`; `triggers` may have some by slot."""
    each: Mapping[str, str] | None = row.get("each")
    if each is None:
        yield _rule(row, macros)
        return
    for number, (slot, words) in enumerate(each.items()):
        examples = row.get("examples", {}) if number == 0 else {}
        told = {**row, "id": f"{row['id']}.{slot}", "slot": slot, "examples": examples}
        if "after" not in row:  # else the words of the kind stand in the clause before
            told["triggers"] = triggers.get(slot, row["triggers"])
        yield _rule(told, {**macros, "kin": words})


def _rule(row: Mapping[str, Any], macros: Mapping[str, str]) -> Rule:
    unknown = row.keys() - _KEYS
    if unknown or not {"id", "pattern", "triggers"} <= row.keys():
        raise InvalidInput(
            f"fact rule {row.get('id', row)!r}: needs id, pattern, triggers; unknown keys: {sorted(unknown)}"
        )
    slot = row.get("slot")
    return Rule(
        row["id"], slot, row.get("at", "body"), row["pattern"], row.get("after"), macros, row.get("as"), row.get("says"), tuple(row["triggers"]),
        row.get("negated", "flip"), row.get("negated_slot"), row.get("polarity", "+"), row.get("modality"),
        frozenset(row.get("needs", ())),
        frozenset(row.get("with", ())), frozenset(row.get("without", ())), frozenset(row.get("who", ("user", "other", "elided"))),
        frozenset(row.get("roles", ("user", "tool", "document"))), row.get("final", False),
        row.get("last", False), row.get("change", False),
        row.get("examples", {}),
    )  # fmt: skip


@cache
def rulebook(language: str) -> Rulebook:
    """The rules of a language's own table, and those that a user added."""
    own = [row for row in added("rules").values() if row.get("language", "en") == language]
    rows = [{name: value for name, value in row.items() if name != "language"} for row in own]
    return extended(language, *([{"rule": rows}] if rows else []))


def extended(language: str, *tables: Mapping[str, Any]) -> Rulebook:
    """A language's rules and a user's: parsed tables with `rule` rows and, if they need them, `slots`. Raises `InvalidInput`."""
    return Rulebook(table(language, "facts"), table(language, "clauses")["macros"], tables)
