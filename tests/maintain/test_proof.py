"""The search for what was erased: every piece of a text is found wherever it stands, and nothing else."""

from __future__ import annotations

import json
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from zeromem.maintain.proof import occurring, pieces

_TEXT = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from('abc 香菜😀\\"\n')), min_size=1, max_size=80)


def test_pieces_cover_a_text() -> None:
    """Sixteen bytes each, the last ones overlapping, and the words; what is too short or plain is none."""
    assert pieces(["abcdefghijklmnopqrst"]) == {b"abcdefghijklmnop", b"efghijklmnopqrst"}
    assert pieces(["The gate"]) == {b"The gate"}
    assert pieces(["Kettle!"]) == {b"Kettle!", b"Kettle", b"kettle"}
    assert pieces(["tea", "00000000", "", "......"]) == set()
    assert pieces(["香菜"]) == {"香菜".encode(), json.dumps("香菜")[1:-1].encode()}


@settings(max_examples=150)
@given(
    texts=st.lists(_TEXT, min_size=1, max_size=5),
    data=st.binary(max_size=300),
    size=st.integers(1, 50),
    at=st.integers(0, 300),
)
def test_found_is_what_stands_there(texts: list[str], data: bytes, size: int, at: int) -> None:
    """The same as looking for each piece alone, however the bytes are cut into chunks."""
    data = data[:at] + texts[0].encode() + data[at:]
    wanted = pieces(texts)
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    assert occurring(wanted, chunks, block=1 + at % 40) == {piece for piece in wanted if piece in data}


def test_a_part_of_a_text_is_found() -> None:
    """31 bytes of it, from anywhere, hold a piece; JSON's escapes hide nothing."""
    text = "The vault opens with the words of a song that nobody sings any more, 水手们唱的那首歌, and then closes."
    wanted = pieces([text])
    form = text.encode()
    for start in range(len(form) - 31):
        assert occurring(wanted, [b"\0" + form[start : start + 31] + b"\0"])
    assert occurring(wanted, [json.dumps({"x": text}).encode()])


def test_many_pieces_in_many_bytes() -> None:
    """A long document is looked for in one pass: looking for its pieces one by one would take hours."""
    chance = random.Random(5)
    text = " ".join(f"{chance.getrandbits(64):x}" for _ in range(60_000))
    wanted = pieces([text])
    assert len(wanted) > 100_000
    noise = chance.randbytes(1 << 20)
    found = occurring(wanted, [noise] * 16 + [text[1000:1100].encode()])
    assert 4 <= len(found) <= 20
