"""The commands that look: recall, search, get, expand, resolve, list, messages, history, stats, verify.

In: arguments. Out: text or JSON on stdout, remarks on stderr. None of them makes a file that is not there.
"""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any, Literal

import typer

from zeromem.errors import InvalidInput
from zeromem.surfaces import cli_text as text
from zeromem.surfaces.cli_call import Call, command, filters, standard_input
from zeromem.surfaces.wire import NOT_FOUND

app = typer.Typer()

Pointer = Annotated[str, typer.Argument(metavar="POINTER", help="A pointer (coffee or [m:coffee]) or a card's id.")]
At = Annotated[str | None, typer.Option("--at", metavar="TIME", help="When the question is asked; default now.")]
After = Annotated[str | None, typer.Option("--after", metavar="TIME", help="Only what was said then or later.")]
Before = Annotated[str | None, typer.Option("--before", metavar="TIME", help="Only what was said earlier.")]
Within = Annotated[
    bool, typer.Option("--within-session", help="Only what the session named by --session says.", show_default=False)
]
Current = Annotated[
    bool | None,
    typer.Option(
        "--current/--no-current",
        help="Only memories of which something still holds; --no-current is --all.",
        show_default=False,
    ),
]
All = Annotated[
    bool,
    typer.Option(
        "--all", help="Also what no longer holds: search lists it anyway, recall marks it.", show_default=False
    ),
]
AsOf = Annotated[str | None, typer.Option("--as-of", metavar="TIME", help="As things were then (2026-02: at its end).")]
KnownAt = Annotated[str | None, typer.Option("--known-at", metavar="TIME", help="From what had been told by then.")]
About = Annotated[
    str | None, typer.Option("--subject", metavar="NAME", help="Only what states a fact of this person or thing.")
]
Clarify = Annotated[
    bool,
    typer.Option("--clarify/--no-clarify", help="Tell where two shown memories cannot both be so.", show_default=False),
]
_BUDGET = "Fill this many tokens, best first. Without it: as few memories as the question needs, in at most 800."
Filter = Annotated[
    list[str] | None,
    typer.Option("--filter", metavar="TEST", help='On metadata: topic=visa, or {"n": {"gte": 3}}. Repeat for and.'),
]


@command(app, "recall")
def recall(
    call: Call,
    query: Annotated[str, typer.Argument(help="The question; - reads a text or a JSON list of messages from stdin.")],
    *,
    budget: Annotated[int | None, typer.Option("--budget", "-b", help=_BUDGET)] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Draw what each stage did, and every candidate.")] = False,
    at: At = None,
    after: After = None,
    before: Before = None,
    filter_: Filter = None,
    within_session: Within = False,
    current: Current = None,
    all_: All = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    subject: About = None,
    clarify: Clarify = True,
) -> None:
    """Print what is worth knowing for a question, ready for a prompt; nothing when nothing is.

    Example: zeromem recall "Which hotel did we book?" --budget 400

    Example: zeromem recall "上次坐的是哪趟高铁？" --explain
    """
    asked: Any = _messages(standard_input()) if query == "-" else query
    narrow = _narrow(
        call, filter_, within_session, all_,
        at=at, after=after, before=before, current=current, as_of=as_of, known_at=known_at, subject=subject,
    )  # fmt: skip
    with call.memory() as memory:
        context = memory.recall(asked, budget=budget, clarify=clarify, **narrow, **call.ids)
        call.answer(context, context.text)
        for reason in context.degraded:
            call.note(f"degraded: {reason}")
        for asked_back in context.clarifications:
            call.note(f"worth asking: {asked_back.question}")
        call.note(text.context_note(context))
        if not context.text:
            call.note_empty(memory)
        if explain and not call.as_json:
            from zeromem.surfaces.cli_explain import explain_recall  # draws with rich

            explain_recall(context)


@command(app, "search")
def search(
    call: Call,
    query: Annotated[str, typer.Argument(help="Words, a name, a question.")],
    *,
    k: Annotated[int, typer.Option("-k", help="How many at most.")] = 10,
    at: At = None,
    after: After = None,
    before: Before = None,
    filter_: Filter = None,
    within_session: Within = False,
    current: Current = None,
    all_: All = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    subject: About = None,
) -> None:
    """List the best matches with their scores, without gate and budget.

    Example: zeromem search "visa appointment" -k 5

    Example: zeromem search 护照 --after 2026-01-01 --json

    Example: zeromem search "Where do I live?" --as-of 2026-02
    """
    narrow = _narrow(
        call, filter_, within_session, all_,
        at=at, after=after, before=before, current=current, as_of=as_of, known_at=known_at, subject=subject,
    )  # fmt: skip
    with call.memory() as memory:
        hits = memory.search(query, k=k, **narrow, **call.ids)
        call.answer(hits, text.hits_text(hits))
        for reason in hits.degraded:
            call.note(f"degraded: {reason}")
        if hits.time_match is False:
            call.note(f"nothing was said in the time asked for ({', '.join(map(text.one_line, hits.times))})")
        if not hits:
            call.note("nothing matches")
            call.note_empty(memory)


@command(app, "get")
def get(call: Call, pointer: Pointer) -> None:
    """Show one memory with all that is known about it.

    Example: zeromem get coffee
    """
    with call.memory() as memory:
        card = memory.get(pointer, **call.ids)
        call.answer(card, text.card_text(card))


@command(app, "expand")
def expand(
    call: Call,
    pointer: Pointer,
    *,
    raw: Annotated[
        bool, typer.Option("--raw", help="Only the exact bytes of the newest source, nothing else.")
    ] = False,
) -> None:
    """Lead a memory back to the exact words it came from.

    Example: zeromem expand coffee

    Example: zeromem expand coffee --raw > original.txt
    """
    with call.memory() as memory:
        found = memory.expand(pointer, **call.ids)
    if raw and not call.as_json:
        sys.stdout.flush()
        sys.stdout.buffer.write(found.text.encode("utf-8", "surrogatepass"))
        return
    call.answer(found, text.expansion_text(found))


@command(app, "resolve")
def resolve(
    call: Call,
    words: Annotated[str, typer.Argument(metavar="TEXT", help="A text with pointers in it; - reads standard input.")],
) -> None:
    """Look up every pointer in a text, such as an answer that cites its memories. Exit code 1 if nothing answers to one.

    Example: zeromem resolve "Book the window seat [m:window], no almonds [m:allergic]."
    """
    with call.memory() as memory:
        found = memory.resolve(standard_input() if words == "-" else words, **call.ids)
    call.answer(found, text.page_text(list(found.cards.values())))
    for name in found.unknown:
        call.note(f"nothing is known as [m:{text.one_line(name)}] in this scope")
    if found.unknown:
        raise typer.Exit(NOT_FOUND)


@command(app, "list")
def list_(
    call: Call,
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many a page.")] = 100,
    cursor: Annotated[str | None, typer.Option("--cursor", help="Go on after the page that gave this cursor.")] = None,
    order: Annotated[str, typer.Option("--order", help="time (when it was said) or added.")] = "time",
    filter_: Filter = None,
) -> None:
    """List memories, oldest first, a page at a time.

    Example: zeromem list --limit 20

    Example: zeromem list --filter topic=visa --json
    """
    with call.memory() as memory:
        page = memory.list(limit=limit, cursor=cursor, order=_order(order), filters=filters(filter_), **call.ids)
        if not page:
            call.note_empty(memory)
    call.answer(page, text.page_text(page))
    if page.cursor:
        call.note(f"more: --cursor {page.cursor}")


@command(app, "messages")
def messages(
    call: Call,
    *,
    limit: Annotated[int | None, typer.Option("--limit", "-n", help="Only the last ones.")] = None,
) -> None:
    """Print what was said, in order and word for word; with --session, of that conversation.

    Example: zeromem messages --session trip --limit 10
    """
    with call.memory() as memory:
        events = memory.messages(limit=limit, **call.ids)
        if not events:
            call.note_empty(memory)
    call.answer({"messages": events}, text.events_text(events))


@command(app, "history")
def history(call: Call, pointer: Pointer) -> None:
    """Print every version of a memory, also of a deleted one.

    Example: zeromem history coffee
    """
    with call.memory() as memory:
        changes = memory.history(pointer, **call.ids)
    call.answer({"history": changes}, text.history_text(changes))


@command(app, "stats")
def stats(
    call: Call, *, everything: Annotated[bool, typer.Option("--all", help="The whole file, all users.")] = False
) -> None:
    """Count what is stored, how often it was recalled and used, and the tokens saved.

    Example: zeromem stats --all
    """
    with call.memory() as memory:
        figures = memory.stats(**({} if everything else call.ids))
    call.answer(figures, text.stats_text(figures))


@command(app, "scopes")
def scopes(call: Call) -> None:
    """List every owner in the file: tenant, user, agent.

    Example: zeromem scopes --json
    """
    with call.memory() as memory:
        found = memory.scopes()
    owners = [{key: getattr(scope, key) for key in ("tenant", "user", "agent")} for scope in found]
    rows = ["  ".join(f"{key}={text.one_line(value)}" for key, value in owner.items() if value) for owner in owners]
    call.answer({"scopes": owners}, "\n".join(rows))


@command(app, "verify")
def verify(
    call: Call,
    *,
    repair: Annotated[bool, typer.Option("--repair", help="Rebuild what is derived from the stored words.")] = False,
) -> None:
    """Compare every index with what was stored. Exit code 1 if something does not agree.

    Example: zeromem verify --repair
    """
    from zeromem.surfaces.cli_progress import bar

    with call.memory() as memory, bar("checking", silent=call.as_json) as report:
        result = memory.verify(repair=repair, progress=report)
    call.answer(result, text.verification_text(result))
    if not result.ok:
        raise typer.Exit(NOT_FOUND)


def _narrow(call: Call, filter_: Any, within_session: bool, all_: bool, **options: Any) -> dict[str, Any]:
    """What narrows a search or recall, as the library calls it."""
    within = _within(call, within_session)
    return {**options, "filters": filters(filter_), "within": within, "include_superseded": all_}


def _within(call: Call, wanted: bool) -> Literal["session"] | None:
    if wanted and "session" not in call.ids:
        raise InvalidInput("--within-session needs --session ID")
    return "session" if wanted else None


def _order(given: str) -> Literal["time", "added"]:
    if given == "time":
        return "time"
    if given == "added":
        return "added"
    raise InvalidInput(f"--order must be time or added, not {given!r:.80}")


def _messages(given: str) -> Any:
    """Standard input of a recall: a JSON list of messages, or just a text."""
    if not given.lstrip().startswith("["):
        return given
    try:
        return json.loads(given)
    except ValueError:
        return given
    except RecursionError:
        raise InvalidInput("standard input: JSON nested too deep") from None
