"""`zeromem demo`: a real bilingual conversation is remembered, then five questions are asked of it.

In: the sample in `zeromem/demo` (a travel assistant, eight sessions, English and Chinese). Out: for each question the context, why it
looks as it does, and its tokens against the whole history and against the last ten messages; two messages that recall nothing;
and one pointer led back to the exact words. Everything runs through the same verbs as any other program; nothing is prepared.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any

import typer

from zeromem.memory import Memory
from zeromem.surfaces.cli_call import Call, command, system_path
from zeromem.text.tokens import count
from zeromem.transfer import read_file
from zeromem.types import Card, Context, Event, Expansion

app = typer.Typer()

USER = "lin-yue"
_LAST = 10
_HOUSEKEEPING = ("word_gate", "fetch", "compress")  # stages that explain nothing when the recall speaks


@dataclass(frozen=True, slots=True)
class Answer:
    """A question with the context recalled for it, and whether the words that answer it are inside."""

    question: str
    lang: str
    context: Context
    expect: tuple[str, ...]
    found: bool
    in_last_ten: bool
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Demo:
    """All that the demo shows."""

    sessions: int
    messages: int
    full_tokens: int
    last_ten_tokens: int
    answers: tuple[Answer, ...]
    silent: tuple[Answer, ...]
    expanded: Expansion
    exact: bool


@command(app, "demo")
def demo(
    call: Call,
    *,
    keep: Annotated[str | None, typer.Option("--keep", metavar="FILE", help="Keep the memory in this file.")] = None,
) -> None:
    """Remember a bilingual conversation of eight sessions and ask five questions of it. Takes seconds, needs nothing.

    Example: zeromem demo

    Example: zeromem demo --keep trip.db && zeromem --db trip.db --user lin-yue search 护照
    """
    with (
        _file(keep) as path,
        Memory.open(path, embedder=call.embedder, settings=call.settings, background=False) as memory,
    ):
        said = _remember(memory, call)
        shown = _ask(memory, said)
    if call.as_json:
        call.answer(shown)
        return
    from zeromem.surfaces.demo_text import show

    show(shown, keep, USER)


@contextlib.contextmanager
def _file(keep: str | None) -> Iterator[str]:
    if keep is not None:
        yield system_path(keep)
        return
    with tempfile.TemporaryDirectory(prefix="zeromem-demo-") as folder:
        yield str(Path(folder) / "demo.db")


def _remember(memory: Memory, call: Call) -> list[str]:
    """Add every session, embed it, and give back the original texts."""
    from zeromem.surfaces.cli_progress import bar

    with as_file(files("zeromem.demo") / "sample.jsonl") as path:
        batches = list(read_file(path))
    total = sum(len(batch.content) for batch in batches)
    done = 0
    with bar(f"remembering {total} messages", silent=call.as_json) as report:
        for batch in batches:
            memory.add(batch.content, user=USER, session=batch.session, at=batch.at, source_id=batch.source_id)
            done += len(batch.content)
            report(done, total)
    with bar("embedding", silent=call.as_json) as report:
        memory.embed_pending(progress=report, user=USER)
    return [str(message["content"]) for batch in batches for message in batch.content if isinstance(message, dict)]


def _ask(memory: Memory, said: Sequence[str]) -> Demo:
    told = json.loads((files("zeromem.demo") / "questions.json").read_text(encoding="utf-8"))
    events = memory.messages(user=USER)
    last = "\n".join(event.text for event in events[-_LAST:])
    answers = tuple(_answer(memory, asked, last) for asked in told["questions"])
    expanded = memory.expand(_telling(answers).pointer, user=USER)
    return Demo(
        sessions=len({event.scope.session for event in events}),
        messages=len(events),
        full_tokens=_tokens(events),
        last_ten_tokens=_tokens(events[-_LAST:]),
        answers=answers,
        silent=tuple(_answer(memory, asked, last) for asked in told["silent"]),
        expanded=expanded,
        exact=expanded.text in said,
    )


def _telling(answers: Sequence[Answer]) -> Card:
    """The first recalled message that holds words of an answer, else the first message."""
    said = [(card, answer) for answer in answers for card in answer.context.cards if card.kind == "message"]
    return next((card for card, answer in said if any(words in card.text for words in answer.expect)), said[0][0])


def _answer(memory: Memory, asked: Mapping[str, Any], last: str) -> Answer:
    context = memory.recall(asked["question"], at=asked["at"], user=USER)
    expect = tuple(asked.get("expect", ()))
    why = tuple(step.why for step in context.trace if step.why and step.stage not in _HOUSEKEEPING)
    found = all(words in context.text for words in expect)
    in_last_ten = bool(expect) and all(words in last for words in expect)
    return Answer(asked["question"], asked["lang"], context, expect, found, in_last_ten, why)


def _tokens(events: Sequence[Event]) -> int:
    """What these messages cost when they are put into a prompt as they are."""
    return sum(count(f"{event.role}: {event.text}\n") for event in events)
