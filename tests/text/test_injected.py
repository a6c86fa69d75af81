"""Memory blocks go out of messages; words about memory stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeromem import Memory
from zeromem.text.injected import strip_injected
from zeromem.text.render import CLOSE, OPEN

OURS = f"{OPEN}## 2026-07-25 · trip\n[m:tea] Ana: I drink tea.\n  ```\n{CLOSE}"
BLOCK = '<memory scope="ana">\n[m:tea] Ana drinks tea. (2026-07-25)\n</memory>'


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (f"{OURS}\nWhat do I drink?", "What do I drink?"),
        (f"{OURS}What do I drink?", "What do I drink?"),
        (f"Known: {OURS}What do I drink?", "Known: What do I drink?"),
        (f"What do I drink?\n\n{OURS}", "What do I drink?"),
        (f"{OURS}{OURS}\nTwice?", "Twice?"),
        (f"{BLOCK}\n\nWhat do I drink?", "What do I drink?"),
        (f"Hello.\n{BLOCK}\nWhat do I drink?", "Hello.\nWhat do I drink?"),
        ("<relevant_memories>\nx\n</relevant_memories>\n<memories>\ny\n</memories>\nq", "q"),
        ("<supermemory-context>\n- tea\n</supermemory-context>\r\nHi, which tea?", "Hi, which tea?"),
        ("<memory>\nmine\n" + OURS + "q", "<memory>\nmine\nq"),
        (OURS, ""),
    ],
)
def test_blocks_go(text: str, rest: str) -> None:
    """Our own block and those of other products are cut out with the breaks around them; the rest stays as it was."""
    assert strip_injected(text) == (rest, len(text) - len(rest))


@pytest.mark.parametrize(
    "text",
    ["no block", "  spaces stay \n", "<memory unit='MiB'>512</memory>", "use `<memory a>x</memory>` here",
     "Is <memory>32 GB</memory> enough?", "<memory>\n  32 GB\n</memory>", "<memories>- tea</memories> is how it starts",
     f"```\n{OURS}```", "```\n<memories>\nx\n</memories>\n```", "<memories> never closed", "## Memories\n- my first day",
     "Relevant memory:\n- DDR4 runs at 3200", "相关记忆：\n- 童年的夏天", "**Related memories**\n- the lake in 1999",
     "## Relevant memories\n- Ana drinks tea", "relevant memories are hard to find", "a < b > c"],
)  # fmt: skip
def test_own_words_stay(text: str) -> None:
    """What a user writes of memory, or with a tag of that name, is returned as it is."""
    assert strip_injected(text) == (text, 0)


def test_users_words_on_memory_become_cards(plain: Memory) -> None:
    """Lists under a heading that speaks of memory, and inline tags, are stored like anything else."""
    said = [
        "Relevant memory:\n- DDR4 at 3200",
        "相关记忆：\n- 童年的湖",
        "**Related memories**\n- the lake",
        "Is <memory>32 GB</memory> enough?",
    ]
    receipt = plain.add(said, user="u")
    assert [item.text for item in receipt.items if item.status == "stored"] == said


PIECES = [
    "ok",
    "<memory>\n",
    "</memory>\n",
    OPEN,
    CLOSE,
    "[m:a] b\n",
    "<memories>\n",
    "</memories>\n",
    "```\n",
    " ",
    "\n",
    "\ud800",
]


@given(st.text(st.characters(codec=None), max_size=80) | st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text(text: str) -> None:
    """Stripping never adds a character, counts what it takes, and leaves a text without blocks alone."""
    rest, cut = strip_injected(text)
    assert len(rest) + cut == len(text) and (cut > 0 or rest == text)
