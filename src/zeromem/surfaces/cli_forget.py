"""The commands that take back and those that erase: restore, undo, forget, reset.

In: arguments. Out: receipts as text or JSON. What erases asks first.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from zeromem.errors import Ambiguous, InvalidInput, NotFound
from zeromem.memory import Memory
from zeromem.plural import counted
from zeromem.surfaces import cli_text as text
from zeromem.surfaces.cli_call import Call, command, filters
from zeromem.surfaces.cli_read import Filter
from zeromem.surfaces.cli_source import meant
from zeromem.surfaces.cli_write import confirmed, embed
from zeromem.types import ScopeIds

app = typer.Typer()


@command(app, "restore")
def restore(
    call: Call,
    pointer: Annotated[
        str | None, typer.Argument(metavar="[POINTER]", help="A deleted memory; its pointer or id.")
    ] = None,
    *,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="Back to this moment; see `history`.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before all of a user is returned.")] = False,
) -> None:
    """Bring a deleted memory back, or return everything of the user to a moment. Can itself be undone.

    The moment is one of the memory's own time, when something was stored or changed, not when it was said: what was stored later goes.

    Example: zeromem restore coffee

    Example: zeromem restore --at 2026-03-01T12:00+08:00 --yes
    """
    question = (
        f"Return every memory to what was stored by {at}? What was stored later is deleted; `undo` takes it back."
    )
    if pointer is None and at is not None and not yes and not confirmed(call, question):
        raise InvalidInput("nothing was restored; --yes restores without asking")
    with call.memory() as memory:
        receipt = memory.restore(pointer, at=at, **call.ids)
        embed(memory, call, receipt)
    call.answer(receipt, text.receipt_text(receipt) or "nothing was otherwise then")


@command(app, "undo")
def undo(
    call: Call,
    *,
    change: Annotated[
        str | None,
        typer.Option(
            "--change",
            metavar="CHANGE",
            help="What `maintain` made of texts: its number, or the pointer of one memory.",
        ),
    ] = None,
) -> None:
    """Take back the last change: an update, delete, restore or replaced source, whole. Undoing twice does it again.

    Example: zeromem undo --user ana

    Example: zeromem undo --change 12
    """
    with call.memory() as memory:
        receipt = memory.undo(change=change, **call.ids)
        embed(memory, call, receipt)
    call.answer(receipt, text.receipt_text(receipt) or "taken back; no memory looks different")


@command(app, "forget")
def forget(
    call: Call,
    what: Annotated[
        list[str] | None, typer.Argument(metavar="[WHAT]...", help="Pointers, ids, or words that fit one memory alone.")
    ] = None,
    *,
    source: Annotated[
        str | None, typer.Option("--source-id", metavar="ID", help="All that this source (or imported file) ever said.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All of the user (and agent, session, tenant).")] = False,
    filter_: Filter = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would go; erase nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Erase what was said and all that was made of it, history and every byte, and prove it. There is no way back.

    Example: zeromem forget coffee --dry-run

    Example: zeromem forget "gate code" --yes

    Example: zeromem forget --session trip --yes --json

    Example: zeromem forget --source-id diary.md
    """
    selector: Any = what[0] if what and len(what) == 1 else what or None
    chosen: dict[str, Any] = {"source_id": source, "filters": filters(filter_), "everything": everything, **call.ids}
    with call.memory() as memory:
        if source is not None:
            chosen["source_id"] = _known(memory, source, call.ids)
        found = memory.forget(selector, dry_run=True, **chosen)
        if dry_run:
            call.answer(found, text.forgotten_text(found))
            return
        if not yes:
            call.note(text.forgotten_text(found))
            if not confirmed(call, "Erase this for good?"):
                raise InvalidInput("nothing was forgotten; --yes forgets without asking")
        receipt = memory.forget(selector, **chosen)
    call.answer(receipt, text.forgotten_text(receipt))


def _known(memory: Memory, source: str, ids: ScopeIds) -> str:
    """The id of the source that was typed: as it is, or of the file that was imported. What is erased is one, never a guess."""
    for some in meant(source):
        known = [one for one in some if _knows(memory, one, ids)]
        if len(known) > 1:
            raise Ambiguous(
                f"{source!r:.80} holds {len(known)} conversations; name one of them: {', '.join(known[:5])}"
            )
        if known:
            return known[0]
    return source


def _knows(memory: Memory, source: str, ids: ScopeIds) -> bool:
    try:
        return bool(memory.forget(source_id=source, dry_run=True, **ids).events)
    except NotFound:
        return False


@command(app, "reset")
def reset(
    call: Call, *, yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before erasing.")] = False
) -> None:
    """Erase the whole file, all users, history and every byte. There is no way back.

    Example: zeromem --db old.db reset --yes
    """
    if not yes and not confirmed(call, f"Erase everything of everybody in {call.db}?"):
        raise InvalidInput("nothing was erased; --yes erases without asking")
    with call.memory() as memory:
        events = memory.stats().events
        memory.reset()
    call.answer({"erased": events}, f"{call.db}: erased {counted(events, 'event')}")
