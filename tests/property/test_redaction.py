"""No secret that a generator draws, in whatever words and by whatever verb, stays in any column of the file."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zeromem import Document, Memory
from zeromem.text.redact import redact

ALNUM = string.ascii_letters + string.digits
_random = st.text(ALNUM, min_size=24, max_size=40).filter(
    lambda text: any(map(str.isdigit, text)) and any(map(str.isalpha, text))
)
PREFIXES = (
    "sk-",
    "sk-ant-api03-",
    "ghp_",
    "github_pat_",
    "xoxb-",
    "AIza" + "x" * 8,
    "glpat-",
    "hf_",
    "npm_",
    "sk_" + "live_",
)
keys = st.builds(str.__add__, st.sampled_from(PREFIXES), _random)
passwords = st.builds(
    "{}{}{}".format,
    st.text(ALNUM, min_size=6, max_size=20).filter(lambda text: text[0].isalpha()),
    st.sampled_from("!@#$%^*+~_"),
    st.integers(10, 9999),
)
NAMED = (
    "password: {}", "my password is {}", "密码是{}", "密码：{}，", "DB_PASSWORD={}\n", "口令改成了 {} 了", '{{"password": "{}"}}', "password='{}'", "https://ana:{}@host.test/x",
)  # fmt: skip
secrets = st.one_of(
    st.tuples(
        keys,
        st.sampled_from(
            ("{}", "key {} ", "我的密钥是{}请记住", "Bearer {}", '{{"k": "{}"}}', "a\\n{}\\nb", "（{}）", "x={}&y=1")
        ),
    ),
    st.tuples(passwords, st.sampled_from(NAMED)),
)


@st.composite
def cards(draw: st.DrawFn) -> tuple[str, str]:
    digits = [
        int(sign)
        for sign in draw(st.sampled_from(("4", "51", "55", "2221", "62")))
        + draw(st.text(string.digits, min_size=11, max_size=14))
    ][:15]
    digits += [0] * (15 - len(digits))
    total = sum(sum(divmod(2 * digit, 10)) for digit in digits[::-2]) + sum(digits[-2::-2])
    number = "".join(map(str, [*digits, -total % 10]))
    written = " ".join(number[i : i + 4] for i in range(0, 16, 4)) if draw(st.booleans()) else number
    return written, draw(st.sampled_from(("卡号{}，", "card {}", "{}")))


_neighbours = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00"), max_size=12).filter(
    lambda text: not text or not (text[-1].isalnum() or text[-1] in "_-.+%&@:/\\'\"`")
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("redaction") / "m.db"


@settings(max_examples=150)
@given(st.one_of(secrets, cards()), _neighbours, st.integers(0, 5))
def test_no_secret_stays_in_the_file(path: Path, drawn: tuple[str, str], before: str, way: int) -> None:
    """The bytes of the file and of its write-ahead log hold no secret, while it is open and after."""
    secret, frame = drawn
    words = f"{before} {frame.format(secret)} "
    content: Any = [
        words,
        {"role": "user", "content": [{"type": "text", "text": words}]},
        {
            "role": "assistant",
            "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": json.dumps({"text": words})}}],
        },
        Document(words, words),
        {"role": "user", "content": "hello there", "extra": {"deep": [words]}},
        "a plain note",
    ][way]
    for file in path.parent.iterdir():
        file.unlink()
    with Memory.open(path, embedder="none") as memory:
        receipt = memory.add(content, user="u", metadata={"note": words})
        if receipt.pointer and way == 5:
            memory.update(receipt.pointer, words, user="u")
        seen = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert (secret.encode() in seen, json.dumps(secret)[1:-1].encode() in seen) == (False, False)


@given(
    st.lists(
        st.one_of(
            st.text(max_size=8),
            st.sampled_from(
                (
                    "password: ",
                    "密码是",
                    "sk-abc123",
                    '"',
                    "\\",
                    "4471",
                    " ",
                    "\ud800",
                    "[redacted:token]",
                    "Bearer ",
                    "\n",
                )
            ),
        ),
        max_size=12,
    )
)
def test_masking_again_masks_nothing_more(parts: list[str]) -> None:
    """What has been masked stays as it is, so that the same words are the same memory."""
    once = redact("".join(parts), "personal")[0]
    assert redact(once, "personal") == (once, ())
