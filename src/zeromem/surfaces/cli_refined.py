"""Shows what refinement did or would do: a coloured diff of every proposal, and the sums in a table.

In: what `maintain` returned. Out: text on stdout. Imported only for `maintain`, because rich takes as long to import as a recall.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from rich.text import Text

from zeromem.plural import counted
from zeromem.refinements import Proposal, Refined
from zeromem.surfaces.cli_explain import console
from zeromem.surfaces.cli_text import one_line
from zeromem.text.words import TOKEN

_MOST = 200  # proposals that are drawn
_WHY = 5  # reasons of refusals that are told
_WHAT = {"shorten": "shortened", "merge": "merged", "inside": "said by another", "rest": "put to rest"}


def draw(some: Sequence[Refined]) -> None:
    """Every proposal with what goes struck out in red and what comes in green."""
    out = console()
    proposals = [one for refined in some for one in refined.proposals]
    for one in proposals[:_MOST]:
        out.print(_diff(one) if out.is_terminal else _plain(one), soft_wrap=True)
    if len(proposals) > _MOST:
        out.print(f"… and {counted(len(proposals) - _MOST, 'more proposal')}; --json has all of them")


def _plain(one: Proposal) -> Text:
    """Without colours: the lines that go and come, as diffs are written."""
    by = f" → [m:{one.by}]" if one.by else ""
    lines = [f"[m:{one.pointer}] {_WHAT.get(one.op, one.op)}: {one.why}{by}", f"- {one_line(one.before)}"]
    lines += [f"+ {one_line(one.after)}"] if one.after is not None else []
    lines += [f"  in the source alone: {', '.join(map(one_line, one.lost))}"] if one.lost else []
    return Text("\n".join(lines) + "\n")


def _diff(one: Proposal) -> Text:
    text = Text(f"[m:{one.pointer}] ", style="bold")
    text.append(f"{_WHAT.get(one.op, one.op)}: {one.why}", style="dim")
    text.append(f" → [m:{one.by}]\n" if one.by else "\n", style="dim")
    if one.after is None:
        text.append(f"  {one_line(one.before)}\n", style="red strike")
    else:
        text.append("  ")
        _words(text, one.before, one.after)
        text.append("\n")
    if one.lost:
        text.append(f"  in the source alone: {', '.join(map(one_line, one.lost))}\n", style="yellow")
    return text


def _words(out: Text, before: str, after: str) -> None:
    """The two texts as one, word by word."""
    old, new = _pieces(before), _pieces(after)
    for how, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if how == "equal":
            out.append(one_line_kept("".join(old[a:b])))
            continue
        out.append(one_line_kept("".join(old[a:b])), style="red strike")
        out.append(one_line_kept("".join(new[c:d])), style="green")


def _pieces(text: str) -> list[str]:
    """Words, and what stands between them."""
    out, at = [], 0
    for match in TOKEN.finditer(text):
        out += [text[at : match.start()], match[0]]
        at = match.end()
    return [piece for piece in [*out, text[at:]] if piece]


def one_line_kept(text: str) -> str:
    """On one line, the spaces at its ends kept."""
    inner = one_line(text)
    return (
        f"{' ' * (len(text) - len(text.lstrip()))}{inner}{' ' * (len(text) - len(text.rstrip()))}"
        if inner
        else " " * bool(text)
    )


def sums(some: Sequence[Refined], *, dry_run: bool) -> list[str]:
    """One line for the texts of all scopes, one for what was done, and the reasons of refusals."""
    over = [one for one in some if one.made or one.refused or (one.budget and one.after > one.budget)]
    if not over:
        return []
    before, after = (sum(getattr(refined, name) for refined in over) for name in ("before", "after"))
    made = Counter[str]()
    for refined in over:
        made.update(refined.made)
    would = "would be" if dry_run else "is now"
    lines = [
        f"text that search can show: {before:,} characters, {would} {after:,} ({sum(r.tokens_saved for r in over):,} tokens less)"
    ]
    lines.append("; ".join(f"{count:,} {_WHAT.get(op, op)}" for op, count in made.items()) or "nothing could be taken")
    if changes := [str(number) for refined in over for number in refined.changes]:
        lines[-1] += f"; taken back by: zeromem undo --change {', '.join(changes)}"
    if left := [refined for refined in over if refined.after > refined.budget]:
        lines.append(
            f"{counted(len(left), 'scope')} still over the budget: what is left is pinned, among the newest (`raw_turns`), or may not lose a word"
        )
    refused = [refusal for refined in over for refusal in refined.refused]
    lines += [
        f"refused [m:{one.pointer}] {_WHAT.get(one.op, one.op)}: {one_line(one.reason)[:160]}" for one in refused[:_WHY]
    ]
    if len(refused) > _WHY:
        lines.append(f"… and {len(refused) - _WHY:,} more refused; --json has all of them")
    return lines
