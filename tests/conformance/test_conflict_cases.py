"""Cases of the kind "conflict / update": a value is replaced only on the same subject and slot, and stays in history."""

from __future__ import annotations

from typing import Any

from zeromem import Memory


def current(mem: Any, query: str, user: str, **options: Any) -> list[str]:
    return [hit.text for hit in mem.search(query, user=user, current=True, **options)]


def test_c008_reversed_preference(mem: Any) -> None:
    """The newest attitude is current and negative; the slot's history holds both in time order."""
    mem.add("I love aniseed tea.", user="ana", at="2026-01-02")
    mem.add("I can't stand aniseed tea any more.", user="ana", at="2026-02-02")
    assert current(mem, "aniseed tea", "ana") == ["I can't stand aniseed tea any more."]
    assert [(fact.text, fact.standing) for fact in mem.facts("user", user="ana", include_superseded=True)] == [
        ("I love aniseed tea", "superseded"),
        ("I can't stand aniseed tea any more", "current"),
    ]


def test_c009_reversed_preference_zh(mem: Any) -> None:
    """偏好反转后：当前结果是"不吃"，旧的只在 include_superseded 时出现。"""
    mem.add("我很喜欢吃香菜。", user="lin", at="2026-01-02")
    mem.add("我现在不吃香菜了。", user="lin", at="2026-03-02")
    assert current(mem, "香菜", "lin") == ["我现在不吃香菜了。"]
    old = mem.search("香菜", user="lin", include_superseded=True)
    assert "我很喜欢吃香菜。" in [hit.text for hit in old]


def test_c011_project_transfer_zh(mem: Any) -> None:
    """调动之后旧项目失效；as_of 仍给出旧项目。"""
    mem.add("小周在北极星项目。", user="zhou", at="2026-05-01")
    mem.add("小周从北极星项目调到了海燕项目。", user="zhou", at="2026-06-01")
    assert "海燕" in current(mem, "小周在哪个项目", "zhou")[0]
    assert "北极星" in mem.search("小周在哪个项目", user="zhou", as_of="2026-05-15")[0].text


def test_c012_mention_does_not_retire(mem: Memory) -> None:
    """A second sentence that mentions the same thing leaves the first one as it is."""
    first = mem.add("The billing service runs on port 7070.", user="ana")
    mem.add("We wrote a retry helper; the billing service uses it too.", user="ana")
    assert "7070" in mem.search("billing service port", user="ana")[0].text
    assert [change.event for change in mem.history(str(first.id))] == ["ADD"]


def test_c012_mention_stays_current(mem: Any) -> None:
    """And it is still current by name."""
    mem.add("The billing service runs on port 7070.", user="ana")
    mem.add("We wrote a retry helper; the billing service uses it too.", user="ana")
    assert "7070" in current(mem, "billing service port", "ana")[0]


def test_c013_chained_facts(mem: Any) -> None:
    """A uses B and B uses C are both current."""
    mem.add("The portal uses the auth gateway.", user="ana")
    mem.add("The auth gateway uses Redis.", user="ana")
    assert len(current(mem, "portal auth gateway uses", "ana")) == 2


def test_c015_values_that_can_both_be_true(mem: Any) -> None:
    """Two languages are both spoken."""
    mem.add("Ana speaks Polish.", user="ana")
    mem.add("Ana speaks Italian.", user="ana")
    assert sorted(current(mem, "which languages does Ana speak", "ana")) == [
        "Ana speaks Italian.",
        "Ana speaks Polish.",
    ]


def test_c016_stale_match_does_not_win_zh(mem: Any) -> None:
    """词面更像的旧事实排不到现行事实前面。"""
    mem.add("服务器 SSH 端口是 2201。", user="ops", at="2026-01-01")
    mem.add("运维通知：登录端口已改为 49222。", user="ops", at="2026-06-01")
    hits = mem.search("服务器 SSH 端口是多少", user="ops", current=True)
    assert "49222" in hits[0].text
    assert all(hit.superseded_by for hit in hits if "2201" in hit.text)
    assert [hit.superseded_by is not None for hit in mem.search("服务器 SSH 端口是多少", user="ops")] == [False, True]
