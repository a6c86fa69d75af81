"""What a text must not lose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeromem.text.atoms import atoms


def of(text: str, kind: str) -> list[str]:
    return [atom.text for atom in atoms(text) if atom.kind == kind]


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("Ana paid $1,200.50 and 35% of 5km for 20 minutes", "number", ["$1,200.50", "35%", "5km", "20 minutes"]),
        ("付3000元，买三个苹果，两百块", "number", ["3000元", "三个", "两百块"]),
        ("She has two cats.", "number", ["two"]),
        ("On May 8th, 2023 and yesterday", "date", ["May 8th, 2023", "yesterday"]),
        ("5月8日见，下周三走", "date", ["5月8日", "下周三"]),
        ("OPS-31, K-93, 5d3+5, snake_case, camelCase, CamelCase and v1.2.3", "identifier",
         ["OPS-31", "K-93", "5d3+5", "snake_case", "camelCase", "CamelCase", "v1.2.3"]),
        ("in src/app/main.py on 10.0.0.1:9077 with 123e4567-e89b-12d3-a456-426614174000", "identifier",
         ["src/app/main.py", "10.0.0.1:9077", "123e4567-e89b-12d3-a456-426614174000"]),
        ("电话13812345678，护照E12345678", "identifier", ["13812345678", "E12345678"]),
        ("See https://a.b/c?d=e. Or www.x.org。", "url", ["https://a.b/c?d=e", "www.x.org"]),
        ("mail a.b@c.io, please", "email", ["a.b@c.io"]),
        ('She said "big deal"; 他说“好的”，《三体》', "quote", ["big deal", "好的", "三体"]),
        ("run `pip install x`", "code", ["pip install x"]),
        ("I met Ana Silva and Bob at the Bank of England.", "name", ["Ana Silva", "Bob", "Bank of England"]),
        ("Bob left. Bob came back. Yesterday Dr. Lee called.", "name", ["Bob", "Bob", "Dr. Lee"]),
        ("The dog. What is it? Please stop.", "name", []),
        ("我叫李明，住在上海市，王老师和小王", "name", ["李明", "上海市", "王老师", "小王"]),
        ("I don't eat meat and never will; we can't.", "negation", ["don't", "never", "can't"]),
        ("我不吃香菜，没有糖，不得迟到，非常不错", "negation", ["不吃", "没有", "不得"]),
        ("You must not, but may leave at least once.", "modal", ["must", "may", "at least"]),
        ("必须到，可能晚", "modal", ["必须", "可能"]),
    ],
)  # fmt: skip
def test_atoms(text: str, kind: str, expected: list[str]) -> None:
    """Every kind is found, in order, as it stands in the text."""
    assert of(text, kind) == expected


def test_known_names() -> None:
    """A word that opens a sentence is a name if the caller knows it."""
    assert of("Lisbon is warm.", "name") == []
    assert [a.text for a in atoms("Lisbon is warm.", known=frozenset({"Lisbon"})) if a.kind == "name"] == ["Lisbon"]


def test_quotes_keep_their_atoms_and_code_does_not() -> None:
    """Within quotes atoms count, within code the code is the atom."""
    assert [(a.kind, a.text) for a in atoms('"port 9077" or `port 9077`')] == [
        ("quote", "port 9077"),
        ("number", "9077"),
        ("code", "port 9077"),
    ]


@given(st.text(st.characters(codec=None), max_size=120))
def test_any_text(text: str) -> None:
    """No text raises; every atom is a literal piece of it, in order."""
    last = 0
    for atom in atoms(text):
        start, end = atom.span
        assert last <= start < end <= len(text)
        assert atom.text in text[start:end]
        last = start


@pytest.mark.parametrize(
    ("text", "hard", "soft"),
    [
        ('Ana said "no sugar" and can\'t wait for 5pm', ["no", "5pm"], ["no sugar", "can't"]),
        ("I don't eat nuts, no worries", ["don't"], ["no"]),
        ("My son has diabetes; call 555-0199", ["diabetes", "555-0199"], []),
        ("In case of danger use the inhaler", ["danger", "inhaler"], []),
        ("如果下雨就不去，不好意思", ["如果", "不"], ["不"]),
        ("他对花生过敏，特别危险", ["过敏", "危险"], []),
    ],
)
def test_hard_atoms(text: str, hard: list[str], soft: list[str]) -> None:
    """Names, quotes and code are soft, and so is a denial in a phrase that denies nothing; all else is hard."""
    found = atoms(text)
    assert [atom.text for atom in found if atom.hard] == hard
    assert [atom.text for atom in found if not atom.hard] == soft
