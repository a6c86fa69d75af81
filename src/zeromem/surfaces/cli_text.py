"""How the command line writes results for people: plain lines that a pipe can take apart.

In: the values of `types.py` and `facts.py`. Out: text. One memory is one line and nothing is cut, so that `grep` finds it; what could steer a
terminal (escape sequences in stored text) is made visible. Tables with colours are drawn by `cli_explain.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from zeromem.changes import Change, Forgotten
from zeromem.facts import Fact
from zeromem.maintain.tiers import Standing
from zeromem.plural import counted
from zeromem.ports import Retention
from zeromem.types import Card, Context, Event, Expansion, Hits, Receipt, ReceiptItem, Stats, Verification
from zeromem.upkeep import Upkeep

_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_BREAKS = re.compile(r"\s*[\n\r\v\f\x85\u2028\u2029]\s*")


_ENDED = {"archive": "archived", "delete": "deleted", "forget": "forgotten"}
_FACT_HEADS = ("subject", "slot", "value", "standing", "since", "sure", "memory", "superseded by")


# What the library calls by its Python name, as the command line spells it.
_SPELLED = (
    (re.compile(r"(?:pass )?encoding='([\w-]+)'"), r"use --encoding \1"),
    (re.compile(r"overwrite=True \(--force\)"), "--force"),
    (re.compile(r"mode='replace' needs source_id"), "--replace needs --source-id"),
    (re.compile(r"mode='replace'"), "--replace"),
    (re.compile(r"current=True"), "--current"),
    (re.compile(r"everything=True of a scope"), "--all of a user"),
    (re.compile(r"include_superseded=True"), "--all"),
    (re.compile(r"\b(as|known)_(of|at)\b"), r"--\1-\2"),
    (re.compile(r"\bvalid_(from|to)\b"), r"--\1"),
    (re.compile(r"within='session'"), "--within-session"),
    (re.compile(r"\b(user|agent|session|tenant)=(?!')"), r"--\1"),
    (re.compile(r"\blist\(\)"), "`zeromem list`"),
    (re.compile(r"\bhistory\('([^']+)'\)"), r"`zeromem history \1`"),
    (re.compile(r"`(reindex|embed_pending)`"), r"`zeromem reindex`"),
)


def spelled(message: str) -> str:
    """A message of the library with options and commands in place of Python."""
    for python, option in _SPELLED:
        message = python.sub(option, message)
    return message


def safe(text: str) -> str:
    """Text without control characters other than tab and line feed: they show as what they are."""
    return _STEERING.sub(lambda match: f"\\x{ord(match.group()):02x}", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    return safe(_BREAKS.sub(" ⏎ ", text.strip()))


def who(item: Card | Event) -> str:
    return item.speaker or item.role


def card_line(card: Card) -> str:
    session = f" · {one_line(card.session)}" if card.session else ""
    return (
        f"[m:{card.pointer}]  {card.at[:16].replace('T', ' ')}{session}  {one_line(who(card))}: {one_line(card.text)}"
    )


def hits_text(hits: Hits) -> str:
    return "\n".join(
        f"{hit.score:6.2f}  {card_line(hit.card)}"
        + (f"  (superseded by [m:{hit.superseded_by}])" if hit.superseded_by else "")
        for hit in hits
    )


def facts_text(facts: Sequence[Fact]) -> str:
    """One fact a line under a line of headings; nothing where there is none."""
    rows = [
        (
            one_line(fact.subject), one_line(fact.slot), ("not " if fact.polarity == "-" else "") + one_line(fact.value),
            _standing(fact), _since(fact), f"{fact.confidence:.0%}", f"[m:{fact.pointer}]",
            f"[m:{fact.superseded_by}]" if fact.superseded_by else "",
        )
        for fact in facts
    ]  # fmt: skip
    return "\n".join(columns(_FACT_HEADS, rows)) if rows else ""


def _standing(fact: Fact) -> str:
    """How it stands, and in brackets as what it was said, where that is something else than plain."""
    return fact.standing if fact.modality in ("asserted", fact.standing) else f"{fact.standing} ({fact.modality})"


def _since(fact: Fact) -> str:
    begun = (fact.valid_from or fact.at)[:10]
    return f"{begun} to {fact.valid_to[:10]}" if fact.valid_to else begun


def page_text(page: Sequence[Card]) -> str:
    return "\n".join(card_line(card) for card in page)


def card_text(card: Card) -> str:
    """A card with all that is known about it."""
    facts = {
        "pointer": f"[m:{card.pointer}]", "id": card.id, "version": card.version, "kind": card.kind,
        "said by": who(card), "said at": card.at, "session": card.session, "source": card.source_id,
        "updated": card.updated_at, "metadata": dict(card.metadata) or None, "tokens": card.tokens,
    }  # fmt: skip
    return "\n".join([*table((k, v) for k, v in facts.items() if v is not None), "", safe(card.text)])


def expansion_text(found: Expansion) -> str:
    """Every event behind a card, whole."""
    blocks = [
        f"{event.id}  {event.at}  {one_line(who(event))} ({event.kind})\n{safe(event.text)}" for event in found.events
    ]
    return "\n\n".join(blocks)


def events_text(events: Sequence[Event]) -> str:
    return "\n".join(
        f"{event.at[:16].replace('T', ' ')}  {one_line(who(event))}: {one_line(event.text)}" for event in events
    )


def history_text(changes: Sequence[Change]) -> str:
    return "\n".join(
        f"{c.version}  {c.at}  {c.what:<10} {one_line(c.who)}, {one_line(c.reason)}"
        + (f": {one_line(c.new)}" if c.new is not None else "")
        for c in changes
    )


def receipt_text(receipt: Receipt) -> str:
    lines = [
        f"{_became(item):<11} {f'[m:{item.pointer}]' if item.pointer else '-':<16} {one_line(item.text)}  ({spelled(item.reason)})"
        for item in receipt.items
    ]
    return "\n".join([*lines, *(f"warning: {warning}" for warning in receipt.warnings)])


def _became(item: ReceiptItem) -> str:
    """What became of a memory, in the word that was asked for where the reason is that word."""
    return item.reason if item.reason in ("deleted", "pinned") else item.status


def forgotten_text(told: Forgotten) -> str:
    """What was erased or would be, and whether it is proved; texts only where nothing was erased yet."""
    counts = f"{counted(told.events, 'event')} and {counted(told.cards, 'memory')}"
    lines = [f"would go: {one_line(words)}" for words in told.texts]
    if told.kept:
        lines.append(f"said by others too, stays: {', '.join(f'[m:{pointer}]' for pointer in told.kept)}")
    if told.proof is None:
        return "\n".join([*lines, f"would erase {counts}, with their history"])
    proof = told.proof
    lines.append(
        f"erased {counts}: {', '.join(counted(count, table.removesuffix('s')) for table, count in told.rows.items())}"
    )
    looked = f"looked for {counted(proof.searched, 'piece')} of it in {proof.size:,} bytes"
    if proof.shared:
        looked += f", {proof.shared:,} of which kept memories say too"
    left = "none is left" if not proof.left else "1 is left" if proof.left == 1 else f"{proof.left:,} are left"
    lines.append(f"{looked}: {left}")
    return "\n".join([*lines, *(f"not proved: {reason}" for reason in proof.reasons)])


def upkeep_text(done: Upkeep) -> str:
    """What upkeep did, one thing a line."""
    moved = [f"{count:,} to {tier}" for tier, count in done.moved.items()]
    over = [f"{count:,} {_ENDED[action]}" for action, count in done.ended.items()]
    lines = [
        f"{counted(done.scopes, 'scope')}: {counted(done.embedded, 'card')} embedded, moved: {', '.join(moved) or 'none'}"
    ]
    lines += [f"their time was over: {', '.join(over)}"] if over else []
    lines += (
        [f"summaries of sessions: {', '.join(f'{n:,} {what}' for what, n in done.summaries.items())}"]
        if done.summaries
        else []
    )
    return "\n".join([*lines, *(f"warning: {warning}" for warning in done.warnings)])


def standing_text(found: Standing) -> str:
    facts = {
        "pointer": f"[m:{found.pointer}]", "kind": found.kind, "tier": found.tier, "importance": f"{found.importance:.2f}",
        "strength": f"{found.strength:.2f}", "half-life": f"{found.half_life:g} days" if found.half_life else "does not fade",
        "said": found.said, "shown": found.shown, "used": found.used, "because": "; ".join(found.why) or "of its kind",
    }  # fmt: skip
    return "\n".join(table(facts.items()))


def retentions_text(rules: Sequence[Retention]) -> str:
    rows = [
        (
            " ".join(f"{name} {value}" for name in ("tenant", "user", "agent") if (value := getattr(rule.scope, name)))
            or "everybody",
            rule.kind,
            f"{rule.days:g} days",
            rule.action,
        )
        for rule in rules
    ]
    return "\n".join(columns(("scope", "kind", "kept", "then"), rows)) if rows else ""


def context_note(context: Context) -> str:
    """What a recall cost, for the line under it."""
    if not context.text:
        return f"nothing recalled: {context.reason}  (context {context.id})"
    return (
        f"{counted(len(context.cards), 'memory')}, {context.tokens:,} of {context.budget:,} tokens; "
        f"the whole history holds {context.full_tokens:,}  (context {context.id})"
    )


def stats_text(stats: Stats) -> str:
    shares = {"hit_rate", "use_rate"}
    rows = []
    for name in stats.__slots__:
        value = getattr(stats, name)
        if value is None:
            value = "-"
        elif name in shares:
            value = f"{value:.0%}"
        elif isinstance(value, int | float):
            value = f"{value:,.0f}"
        rows.append((name.replace("_", " "), value))
    return "\n".join(table(rows))


def verification_text(result: Verification) -> str:
    checked = ", ".join(counted(count, name.removesuffix("s")) for name, count in result.checked.items())
    if not result.problems:
        return f"ok: {checked} checked, everything agrees"
    told = f"{counted(len(result.problems), 'problem')}, {result.repaired} repaired ({checked} checked)"
    return "\n".join([*(f"problem: {one_line(problem)}" for problem in result.problems), told])


def columns(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Cells under their headings; a Chinese character is two columns wide."""
    lines = [heads, *rows]
    widths = [max(_width(line[i]) for line in lines) for i in range(len(heads))]
    return [
        "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else not unicodedata.combining(char) for char in text)


def table(rows: Iterable[tuple[str, object]]) -> list[str]:
    """Names and values in two columns."""
    pairs = [(name, one_line(str(value))) for name, value in rows]
    width = max((len(name) for name, _ in pairs), default=0)
    return [f"{name:<{width}}  {value}" for name, value in pairs]
