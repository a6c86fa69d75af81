"""Where Markdown is cut, and where it is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeromem.text.sections import sections


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("plain\ntext", [((), "plain\ntext")]),
        ("# A\none\n\n## B ##\ntwo\n\n### C\nthree\n\n## D\nfour", [
            (("A",), "one"), (("A", "B"), "two"), (("A", "B", "C"), "three"), (("A", "D"), "four")]),
        ("# A\n\n## B\n\n# C\n", [(("A", "B"), ""), (("C",), "")]),
        ("Top\n===\none\n\nSub\n---\ntwo", [(("Top",), "one"), (("Top", "Sub"), "two")]),
        ("a\nb\n---\nc", [((), "a\nb\n---\nc")]),
        ("- a\n---\nc", [((), "- a\n---\nc")]),
        ("---\ntitle: x\n---\n# A\none", [(("A",), "one")]),
        ("```sh\n\n# no\n```\n\n# A\none", [((), "```sh\n\n# no\n```"), (("A",), "one")]),
        ("~~~~\n\n# no\n~~~\n\n# no\n~~~~\n\n# A\none", [((), "~~~~\n\n# no\n~~~\n\n# no\n~~~~"), (("A",), "one")]),
        ("#tag is no heading\n\n####### nor this", [((), "#tag is no heading\n\n####### nor this")]),
        ("", []),
    ],
)  # fmt: skip
def test_sections(text: str, found: list[tuple[tuple[str, ...], str]]) -> None:
    """Hash marks and underlines, nesting, fences, front matter, and what only looks like a heading."""
    assert [(section.path, text[section.body : section.end].strip()) for section in sections(text)] == found


@given(
    st.lists(
        st.sampled_from(["# A\n", "## B\n", "\n", "text\n", "===\n", "---\n", "```\n", "~~~\n", " ", "#", "x"])
    ).map("".join)
)
def test_sections_hold_the_whole_text(text: str) -> None:
    """In order, without overlap; what stands in none is headings and white space."""
    end = 0
    for section in sections(text):
        assert end <= section.start <= section.body <= section.end <= len(text)
        end = section.end
    # What stands in no section is a heading with nothing below it but deeper ones: it stands in their paths.
    ends = [0, *(section.end for section in sections(text))]
    starts = [*(section.start for section in sections(text)), len(text)]
    rest = "\n".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    alone = [line.strip() for line in rest.splitlines() if line.strip().strip("=-")]
    titles = [name for section in sections(text) for name in section.path]
    assert [line for line in alone if line.lstrip("#").strip() not in titles] == []


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("---\ntitle: Tea\ntags: [a, b]\n---\n\nIt is green.\n", "\nIt is green.\n"),
        ("+++\ntitle = 'Tea'\n+++\nIt is green.", "It is green."),
        ("---\r\ntitle: 茶\r\n---\r\n绿茶。", "绿茶。"),
        ("---\n# A\n---\n## B\n", "---\n# A\n---\n## B\n"),  # headings between rules
        ("---\nIt is green.\n---\nIt is black.\n", "---\nIt is green.\n---\nIt is black.\n"),  # rules between sentences
        ("---\nRemember: the key is blue.\n---\nMore.\n", "---\nRemember: the key is blue.\n---\nMore.\n"),
        ("---\ntitle: Tea\n---\n", "---\ntitle: Tea\n---\n"),  # nothing else is told
        ("---\ntitle: Tea\n", "---\ntitle: Tea\n"),
    ],
)
def test_front_matter_is_no_section(text: str, left: str) -> None:
    """Settings of the file are none of what it tells, unless it tells nothing else."""
    assert "".join(text[section.start : section.end] for section in sections(text)) == left


def test_endless_front_matter_is_read_at_once() -> None:
    """Lines without an end of the block are looked at once."""
    assert len(sections("---\n" + "a: b\n" * 200_000)) == 1
