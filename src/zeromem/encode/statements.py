"""Open relations of named things and people: who or what, which relation, which value, for documents and told facts.

In: a text. Out: `statements`, a list of `Claim` whose slot is the relation in the text's words ("author", "created by", "port"). Rows of
`rules/<language>/statements.toml` are tried in order on each sentence that states something; the first that fits gives one statement. A
row's groups: `subject`, `value`, and the words of the relation: `relation`, `relation2`, or the row's `slot`. A subject is a name or a
definite thing of the text; what is said of things at large (water, penguins) is general knowledge and gives none.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from zeromem.encode.clauses import sentences
from zeromem.facts import Claim
from zeromem.rules import expand, slots, table
from zeromem.text.tokens import rank

_OFTENER = 3  # times; some names are words too (Ben, Mark)
_ENDS = " \"'“”「」『』《》,，:：、.!。！;；"


@dataclass(frozen=True)
class Row:
    """One row of a table of relations."""

    id: str
    pattern: re.Pattern[str]
    slot: str | None
    single: bool | None
    change: bool
    negative: bool
    loose: bool  # its wording alone tells that something definite is meant
    examples: Mapping[str, str]


@dataclass(frozen=True)
class Book:
    """A language's table of relations, compiled."""

    rows: tuple[Row, ...]
    alike: Mapping[str, re.Pattern[str]]  # relations told in several ways, by the slot that they are
    definite: re.Pattern[str]
    general: re.Pattern[str]
    title: re.Pattern[str]
    drop: re.Pattern[str]  # words that a relation is told without
    many: re.Pattern[str]  # relations that hold of many values
    change: re.Pattern[str]
    lead: re.Pattern[str]  # of subjects and values
    stop: re.Pattern[str]  # where a value ends
    none: re.Pattern[str]  # subjects and values that are no thing: pronouns


@cache
def book(language: str) -> Book:
    """The compiled relations of a language."""
    told: dict[str, Any] = table(language, "statements")
    macros = {**table(language, "clauses")["macros"], **told.get("macros", {})}

    def compiled(pattern: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
        return re.compile(expand(pattern, macros), flags)

    rows = tuple(
        Row(
            row["id"], compiled(row["pattern"], 0), row.get("slot"), row.get("single"), row.get("change", False),
            row.get("negative", False), row.get("loose", False), row.get("examples", {}),
        )
        for row in told["statement"]
    )  # fmt: skip
    words = told["words"]
    cased = [compiled(words[key], 0) for key in ("definite", "general", "title")]
    folded = [compiled(words[key]) for key in ("drop", "many", "change", "lead", "stop", "none")]
    alike = {slot: compiled(pattern) for slot, pattern in told.get("alike", {}).items()}
    return Book(rows, alike, *cased, *folded)


def statements(text: str, *, role: str = "document") -> list[Claim]:
    """The relations stated in `text`, one a sentence at most, in order. Assistant text yields none."""
    if role == "assistant":
        return []
    found: dict[tuple[str, str, str], Claim] = {}
    for plain, start, end, language in sentences(text):
        for fact in _sentence(book(language), plain, text, start, end):
            found.setdefault((fact.subject, fact.slot, fact.value), fact)
    return list(found.values())


def _sentence(rules: Book, plain: str, text: str, start: int, end: int) -> Iterator[Claim]:
    for row in rules.rows:
        match = row.pattern.match(plain, start, end)
        if match is None:
            continue
        subject = _trim(rules, text, *match.span("subject"))
        stop = rules.stop.search(plain, *match.span("value"))
        value = _trim(rules, text, match.start("value"), stop.start() if stop is not None else match.end("value"))
        groups = match.groupdict()
        words = row.slot or " ".join(filter(None, (groups.get("relation"), groups.get("relation2"))))
        slot = " ".join(rules.drop.sub(" ", words.casefold()).split())
        slot = next((name for name, pattern in rules.alike.items() if pattern.fullmatch(f"{slot} {value[:1]}")), slot)
        change = row.change or rules.change.search(plain, start, end) is not None
        if not (subject and value and slot) or rules.none.search(subject) or rules.none.fullmatch(value):
            continue
        definite = rules.definite.match(plain, *match.span("subject")) is not None
        leads = match.start("subject") == start and rules.title.fullmatch(plain, *match.span("subject")) is None
        stated = definite and not (leads and (rules.general.match(plain, start, end) or _opens(subject)))
        if not (stated or row.loose or change):
            return
        single = row.single if row.single is not None else rules.many.search(slot) is None
        single &= slots().get(slot, {}).get("holds") != "many"  # "Ana's brother is Ben": she may have another
        negative = row.negative or bool(groups.get("negative"))
        yield Claim(
            subject, slot, value, "-" if negative else "+", "past" if groups.get("past") else "asserted", None, start, end,
            change, f"statement.{row.id}", single,
        )  # fmt: skip
        return


def _trim(rules: Book, text: str, start: int, end: int) -> str:
    words = text[start:end].strip(_ENDS)
    while (lead := rules.lead.match(words)) is not None and lead.end() < len(words):
        words = words[lead.end() :].strip(_ENDS)
    return words


def _opens(subject: str) -> bool:
    """Whether a subject is capitalised only because it opens its sentence ("Really", "Your"): it is written so less often than not."""
    whole, _, rest = subject.partition(" ")
    first = whole.replace("’", "'").partition("'")[0]
    plain = first.istitle() and not any(word[:1].isupper() for word in rest.split())
    return plain and _OFTENER * rank(" " + first.lower()) < rank(" " + first)
