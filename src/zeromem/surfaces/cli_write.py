"""The commands that change: add, update, correct, delete, feedback, reindex.

In: arguments, or text on standard input. Out: the receipt, as text or JSON. What `add` and `update` store is embedded before they
end, up to a bound, because no background thread outlives the process.
"""

from __future__ import annotations

import contextlib
from typing import Annotated, Any

import typer

from zeromem.checks import did_you_mean, shown
from zeromem.encode.messages import Document
from zeromem.errors import EmbedderFailed, EmbedderMismatch, InvalidInput, NotFound, StoreBusy
from zeromem.memory import Memory
from zeromem.plural import counted
from zeromem.surfaces import cli_text as text
from zeromem.surfaces.cli_call import Call, command, filters, pairs, standard_input
from zeromem.surfaces.cli_read import Filter, Pointer
from zeromem.surfaces.cli_source import meant
from zeromem.types import Receipt

app = typer.Typer()

_ROLES = ("user", "assistant", "system", "developer", "tool", "function")
_MOST_EMBEDDED = 64  # cards that one add embeds itself: two seconds at most; the rest waits for a recall or an import
Metadata = Annotated[
    list[str] | None,
    typer.Option(
        "--metadata", "-m", metavar="KEY=VALUE", help="Kept with the memory; repeat. JSON values keep their type."
    ),
]


@command(app, "add")
def add(
    call: Call,
    content: Annotated[str, typer.Argument(metavar="TEXT", help="What was said; - reads it from standard input.")],
    *,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="When it was said; default now.")] = None,
    role: Annotated[
        str, typer.Option("--role", help="Who said it: user, assistant, system, developer, tool.")
    ] = "user",
    document: Annotated[
        bool, typer.Option("--document", help="A text that nobody said; Markdown is cut at its headings.")
    ] = False,
    source_id: Annotated[
        str | None, typer.Option("--source-id", metavar="ID", help="Adding the same source again adds nothing.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="The source now says this and no longer the rest.")
    ] = False,
    metadata: Metadata = None,
) -> None:
    """Remember a text. The receipt says what became of it, and the pointer that stands for it.

    Example: zeromem add "I take my coffee black."

    Example: zeromem add "下周三去深圳出差" --session work --at 2026-03-12T18:20+08:00

    Example: zeromem add - --document --source-id notes.md --replace < notes.md
    """
    if role not in _ROLES:
        raise InvalidInput(f"--role {shown(role)} is none{did_you_mean(role, _ROLES)}; use one of {', '.join(_ROLES)}")
    words = standard_input() if content == "-" else content
    said: Any = {"role": role, "content": words}
    if document:
        from zeromem.transfer.formats import title_of  # only for documents

        said = Document(words, title_of(words) or source_id)
    with call.memory(create=True) as memory:
        receipt = memory.add(
            said,
            at=at,
            source_id=source_id,
            mode="replace" if replace else "append",
            metadata=pairs(metadata, "--metadata"),
            **call.ids,
        )
        embed(memory, call, receipt)
    call.answer(receipt, text.receipt_text(receipt))


@command(app, "update")
def update(
    call: Call,
    pointer: Pointer,
    words: Annotated[str | None, typer.Argument(metavar="[TEXT]", help="The new text; - reads standard input.")] = None,
    *,
    metadata: Metadata = None,
) -> None:
    """Give a memory a new text or new metadata; the old version stays in its history.

    Example: zeromem update coffee "I take my coffee with oat milk now."
    """
    with call.memory() as memory:
        changed = standard_input() if words == "-" else words
        receipt = memory.update(pointer, changed, metadata=pairs(metadata, "--metadata"), **call.ids)
        embed(memory, call, receipt)
    call.answer(receipt, text.receipt_text(receipt))


@command(app, "correct")
def correct(
    call: Call,
    query: Annotated[str, typer.Argument(help="Words that the wrong memory holds and no other, or [m:pointer].")],
    words: Annotated[str, typer.Argument(metavar="TEXT", help="What is right; - reads standard input.")],
) -> None:
    """Put right the one memory that some words mean; what it said stays in its history.

    Example: zeromem correct "dentist appointment" "The dentist appointment is on Friday at nine."

    Example: zeromem correct "咖啡" "我现在只喝无糖的咖啡。"
    """
    with call.memory() as memory:
        receipt = memory.correct(query, standard_input() if words == "-" else words, **call.ids)
        embed(memory, call, receipt)
    call.answer(receipt, text.receipt_text(receipt))


@command(app, "delete")
def delete(
    call: Call,
    pointers: Annotated[list[str] | None, typer.Argument(metavar="[POINTER]...", help="Pointers or ids.")] = None,
    *,
    source: Annotated[
        str | None, typer.Option("--source-id", metavar="ID", help="All that only this source said.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All of the user (and agent, session, tenant).")] = False,
    filter_: Filter = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before --all.")] = False,
) -> None:
    """Delete memories: they leave every index at once; their events and history stay.

    Example: zeromem delete coffee tea

    Example: zeromem delete --all --filter topic=visa --yes
    """
    if sum([bool(pointers), source is not None, everything]) != 1:
        raise InvalidInput("give pointers, or --source-id, or --all")
    whom = " ".join(f"{name}={value}" for name, value in call.ids.items())
    if everything and not yes and not confirmed(call, f"Delete everything of {whom}?"):
        raise InvalidInput("nothing was deleted; --yes deletes without asking")
    with call.memory() as memory:
        if pointers:
            cards = {card.id: card for pointer in pointers for card in [memory.get(pointer, **call.ids)]}
            items = tuple(item for id_ in cards for item in memory.delete(id_, **call.ids).items)
            call.answer(Receipt(items), text.receipt_text(Receipt(items)))
            return
        count = memory.delete_all(filters(filter_), **call.ids) if everything else _of_source(call, memory, str(source))
    call.answer({"deleted": count}, f"deleted {count}")


@command(app, "delete-source")
def delete_source(
    call: Call,
    source_id: Annotated[
        str, typer.Argument(metavar="ID", help="The source id that was given to add, or a file that was imported.")
    ],
) -> None:
    """Delete what only this source said; the same as `delete --source-id`.

    Example: zeromem delete-source notes.md
    """
    with call.memory() as memory:
        count = _of_source(call, memory, source_id)
    call.answer({"deleted": count}, f"deleted {count}")


@command(app, "feedback")
def feedback(
    call: Call,
    context_id: Annotated[str, typer.Argument(metavar="CONTEXT", help="The id that recall printed.")],
    *,
    used: Annotated[
        list[str] | None, typer.Option("--used", metavar="POINTER", help="A memory that helped; repeat.")
    ] = None,
    answer: Annotated[str | None, typer.Option("--answer", help="The answer given: what it used is detected.")] = None,
    outcome: Annotated[str | None, typer.Option("--outcome", help="good, bad, or a number from -1 to 1.")] = None,
) -> None:
    """Tell what became of a recall: it feeds the use rate and what is worth recalling.

    Example: zeromem feedback x0650c41f7a9e2b8d3c6a5f4e7b --used coffee --outcome good
    """
    with call.memory() as memory:
        told = memory.feedback(context_id, used=used, answer=answer, outcome=_outcome(outcome), **call.ids)
    rows = [f"used [m:{pointer}]  ({reason})" for pointer, reason in zip(told.used, told.reasons, strict=True)]
    call.answer(told, "\n".join(rows) or "noted: no memory was used")


@command(app, "reindex")
def reindex(
    call: Call,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count.")] = False,
) -> None:
    """Rebuild the keyword index and embed everything anew, in the whole file; needed after a change of embedder.

    Example: zeromem reindex --embedder fast
    """
    from zeromem.surfaces.cli_progress import bar

    with call.memory() as memory:
        if dry_run:
            count = memory.reindex(dry_run=True)
        else:
            with bar("reindexing", silent=call.as_json) as report:
                count = memory.reindex(progress=report)
    call.answer(
        {"cards": count, "dry_run": dry_run}, counted(count, "card") + (" to reindex" if dry_run else " reindexed")
    )


def _of_source(call: Call, memory: Memory, source_id: str) -> int:
    for some in meant(source_id):
        if count := sum(memory.delete_source(one, **call.ids) for one in some):
            return count
    raise NotFound(f"no memory comes from source {source_id!r:.80} alone in this scope")


def confirmed(call: Call, question: str) -> bool:
    """Ask on stderr; False where nobody can answer."""
    if call.as_json:
        return False
    try:
        return typer.confirm(question, err=True)
    except typer.Abort:  # nobody there to answer
        return False


def embed(memory: Memory, call: Call, receipt: Receipt) -> None:
    """Embed what was stored, up to a bound."""
    stored = sum(item.status == "stored" for item in receipt.items)
    if not stored:
        return
    # Whatever is wrong with the embedder: the words are stored and found, and the vectors can be made up for.
    with contextlib.suppress(EmbedderFailed, EmbedderMismatch, StoreBusy):
        memory.embed_pending(min(stored, _MOST_EMBEDDED), **call.ids)
    for warning in memory.warnings:
        if warning.startswith("dense:") and warning not in receipt.warnings:
            call.warn(warning)


def _outcome(given: str | None) -> Any:
    if given is None or given in ("good", "bad"):
        return None if given is None else given == "good"
    try:
        return float(given)
    except ValueError:
        raise InvalidInput(f"--outcome must be good, bad or a number from -1 to 1, not {given!r:.80}") from None
