"""Cases of the kind "negation / polarity": a "not" is never lost on the way."""

from __future__ import annotations

import re
from typing import Any

import pytest

from zeromem import Memory


def test_c027_dislike_is_not_preference(plain: Memory) -> None:
    """Offline, no card turns "hate" into a preference."""
    plain.add("I hate cilantro in my food.", user="u")
    assert not [c for c in plain.list(user="u") if re.search(r"(prefers|likes|loves) .*cilantro", c.text, re.I)]
    assert "hate" in plain.search("cilantro", user="u")[0].text


def test_c028_polarity_zh(plain: Memory) -> None:
    """讨厌、不喜欢、双重否定都原样保留。"""
    for text in ("我讨厌香菜。", "我不喜欢开会。", "我并不反对远程办公。"):
        plain.add(text, user="u")
    assert [plain.search(query, user="u")[0].text for query in ("香菜", "开会", "远程办公")] == [
        "我讨厌香菜。", "我不喜欢开会。", "我并不反对远程办公。",
    ]  # fmt: skip


def test_c030_compression_keeps_what_matters(mem: Any) -> None:
    """Negation, numbers and the last sentence survive, or the result says exactly what was lost."""
    src = "Ship the report on Friday. Never email it to vendors. Budget cap is 12,450 EUR. If data is missing, do not guess."
    out = mem.compress(src, target_ratio=0.5)
    lost = [word for word in ("Never", "12,450", "do not guess") if word not in out.text]
    assert out.ok is not bool(lost)
    assert mem.expand(out.ref).text == src


def test_c031_compression_zh(mem: Any) -> None:
    """压缩不产生乱码，不在汉字间插空格，否定和数字保留或报告。"""
    src = "周五前提交报告。不要发给供应商。预算上限是12450欧元。数据缺失时不得猜测。"
    out = mem.compress(src, target_ratio=0.6)
    assert "\ufffd" not in out.text
    assert not re.search(r"[\u4e00-\u9fff] [\u4e00-\u9fff]", out.text)
    assert out.ok is all(word in out.text for word in ("不要", "不得", "12450"))


@pytest.mark.xfail(strict=True, raises=AttributeError, reason="waits for the window verb")
def test_c032_rule_survives_the_session(mem: Any) -> None:
    """A rule at the start of 200 turns is in the window, under the budget."""
    from zeromem.text.tokens import count

    said = [{"role": "user", "content": "Rule: never add a co-author line to commits."}]
    said += [{"role": "user", "content": f"note {i}: the build is green"} for i in range(200)]
    window = mem.window(said, budget=400)
    text = "\n".join(message["content"] for message in window.messages)
    assert "never" in text and "co-author" in text
    assert count(text) <= 400
