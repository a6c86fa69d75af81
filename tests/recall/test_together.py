"""What belongs together is shown together: an answer with its question, a correction with what it corrects."""

from __future__ import annotations

import pytest

from zeromem import Memory

BIRTHDAY = [
    ("user", "Can you recommend a restaurant for Joanna's birthday on 12 October? She loves Thai food."),
    ("assistant", "How about Sukhothai in Clifton? I cannot call them for you, but they take calls from noon on."),
    ("user", "Booked: Sukhothai, 19:30"),
]
TRAIN = [
    ("assistant", "恭喜！需要我帮您查成都到重庆的高铁吗？"),
    ("user", "好，我们三个人去。我买了G8513次，10月17日下午2点10分出发。"),
]
BRIDE = [("user", "我弟弟下个月结婚，新娘叫张慧。"), ("user", "打错了，是张惠")]
OTHERS = [("user", f"The shelf {n} holds jars of jam.") for n in range(12)]
ANDERE = [("user", f"第{n}个架子上放着果酱。") for n in range(12)]


@pytest.mark.parametrize(
    ("told", "others", "question", "wanted"),
    [
        (BIRTHDAY, OTHERS, "What restaurant for Joanna's birthday?", [BIRTHDAY[0][1], BIRTHDAY[2][1]]),
        (TRAIN, ANDERE, "我坐哪趟高铁去重庆？", [TRAIN[0][1], TRAIN[1][1]]),
        (BRIDE, ANDERE, "新娘叫什么名字？", [BRIDE[0][1], BRIDE[1][1]]),
    ],
)
def test_they_come_together(told, others, question, wanted):
    with Memory.open(":memory:", embedder="none") as memory:
        for minute, (role, text) in enumerate(told):
            memory.add({"role": role, "content": text}, user="u", session="s", at=f"2026-09-29T08:{minute:02d}")
        for minute, (role, text) in enumerate(others):
            memory.add({"role": role, "content": text}, user="u", session="t", at=f"2026-09-30T08:{minute:02d}")
        shown = [card.text for card in memory.recall(question, user="u", at="2026-11-25").cards]
    assert [text for text in wanted if text not in shown] == [] and len(shown) <= 8


def test_a_question_of_another_session_is_no_answer():
    with Memory.open(":memory:", embedder="none") as memory:
        memory.add(BIRTHDAY[0][1], user="u", session="a", at="2026-09-01")
        memory.add("The kettle is red.", user="u", session="b", at="2026-09-02")
        shown = [card.text for card in memory.recall("What restaurant for Joanna's birthday?", user="u").cards]
    assert shown == [BIRTHDAY[0][1]]
