"""The truth table of docs/reference/filters.md, row by row, and everything that a filter must refuse."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeromem.errors import InvalidFilter, InvalidInput
from zeromem.filters import FIELDS, OPERATORS, compile_filter, scope_ids
from zeromem.types import Card, Scope

ABSENT = object()


def card(metadata: dict[str, Any] | None = None, **changes: Any) -> Card:
    values: dict[str, Any] = {
        "id": "c1",
        "pointer": "tea",
        "version": 1,
        "scope": Scope(user="ana", session="s1"),
        "kind": "message",
        "role": "user",
        "speaker": None,
        "text": "I like tea.",
        "at": "2026-07-25T02:00:00+00:00",
        "created_at": "2026-07-26T02:00:00+00:00",
        "updated_at": "2026-07-27T02:00:00.250000+00:00",
        "source_id": None,
        "metadata": metadata or {},
        "made_by": "rule",
        "row": 1,
        "tokens": 4,
    }
    return Card(**(values | changes))


def matches(value: Any, condition: Any) -> bool:
    return compile_filter({"k": condition})(card({} if value is ABSENT else {"k": value}))


# Operator, operand, then the result for each value of COLUMNS; the same table stands in docs/reference/filters.md.
TABLE: list[tuple[str, Any, str]] = [
    ("eq", 3, "- - + - - - - + -"),
    ("ne", 3, "+ + - + + + + - +"),
    ("in", [3, 9], "- - + - - - - + -"),
    ("nin", [3, 9], "+ + - + + + + - +"),
    ("gt", 3, "- - - - + - - - +"),
    ("gte", 3, "- - + - + - - + +"),
    ("lt", 3, "- - - + - - - - +"),
    ("lte", 3, "- - + + - - - + +"),
    ("exists", True, "- + + + + + + + +"),
    ("exists", False, "+ - - - - - - - -"),
]
COLUMNS: list[Any] = [ABSENT, None, 3, 2, 4, "3", True, ["x", 3], [2, 4]]
CELLS = [
    pytest.param(
        operator, operand, value, mark == "+", id=f"{operator}-{operand}: {'missing' if value is ABSENT else value!r}"
    )
    for operator, operand, marks in TABLE
    for value, mark in zip(COLUMNS, marks.split(), strict=True)
]


@pytest.mark.parametrize(("operator", "operand", "value", "expected"), CELLS)
def test_truth_table(operator: str, operand: Any, value: Any, expected: bool) -> None:
    """Every operator against every state that a metadata value can be in."""
    assert matches(value, {operator: operand}) is expected


@pytest.mark.parametrize(
    ("value", "condition", "expected"),
    [
        (3, 3.0, True),
        (1, True, False),
        (True, 1, False),
        (True, True, True),
        (0, False, False),
        (True, {"gt": 0}, False),
        ([True], 1, False),
        ([1, [True]], {"eq": [1, [1]]}, False),
        (None, None, True),
        (ABSENT, None, False),
        ([None], None, True),
        ("", {"exists": True}, True),
        ("visa", "visa", True),
        ("Visa", "visa", False),
        ("签证", "签证", True),
        ("b", {"gt": "a"}, True),
        ("3", {"gt": 2}, False),
        (3, {"gt": "2"}, False),
        ({"x": [1]}, {"eq": {"x": [1]}}, True),
        ({"x": [1]}, {"eq": {"x": [2]}}, False),
        ({"x": 1}, {"gt": 0}, False),
        (["a", "b"], "a", True),
        (["a", "b"], ["a", "b"], True),
        (["a", "b"], ["b", "a"], False),
        ([["a", "b"], "c"], ["a", "b"], True),
        (["a", "b"], {"in": ["z", "b"]}, True),
        (["a", "b"], {"in": [["a", "b"]]}, True),
        (["a", "b"], {"nin": ["z", "b"]}, False),
        (["a", "b"], {"ne": "a"}, False),
        ([1, 9], {"gt": 5}, True),
        ([1, 9], {"gt": 5, "lt": 2}, True),
        ([], {"exists": True}, True),
        ([], {"ne": 1}, True),
        (5, {"gte": 2, "lte": 8}, True),
        (9, {"gte": 2, "lte": 8}, False),
        (5, {"in": []}, False),
        (5, {"nin": []}, True),
        (5, {"in": (5,)}, True),
        (5, {"in": {5}}, True),
        (float("nan"), {"eq": float("nan")}, False),
        ("x' OR '1'='1", "x' OR '1'='1", True),
        ("other", "x' OR '1'='1", False),
    ],
)
def test_values(value: Any, condition: Any, expected: bool) -> None:
    """Types are kept apart, lists match by any element, and a value is only ever data."""
    assert matches(value, condition) is expected


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (None, True),
        ({}, True),
        ({"n": 5, "t": "a"}, True),
        ({"n": 5, "t": "b"}, False),
        ({"AND": [{"n": {"gte": 2}}, {"n": {"lte": 8}}]}, True),
        ({"AND": [{"n": {"gte": 2}}, {"n": {"lte": 4}}]}, False),
        ({"OR": [{"n": 1}, {"t": "a"}]}, True),
        ({"or": [{"n": 1}, {"t": "b"}]}, False),
        ({"NOT": {"n": 5}}, False),
        ({"NOT": {"n": 5, "t": "b"}}, True),
        ({"not": {"or": [{"n": 1}, {"n": 2}]}}, True),
        ({"NOT": {}}, False),
        ({"OR": [{"n": 1}, {}]}, True),
        ({"t": "a", "and": ({"n": 5}, {"NOT": {"t": "b"}})}, True),
        ({"metadata.and": 1}, True),
    ],
)
def test_logic(filters: Any, expected: bool) -> None:
    """Keys and operators side by side are ANDed; AND, OR and NOT nest, in upper or lower case."""
    assert compile_filter(filters)(card({"n": 5, "t": "a", "and": 1})) is expected


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"user": "ana"}, True),
        ({"user": "bo"}, False),
        ({"user": {"in": ["ana", "bo"]}}, True),
        ({"user": {"ne": "bo"}}, True),
        ({"agent": {"exists": False}}, True),
        ({"agent": {"exists": True}}, False),
        ({"agent": {"ne": "x"}}, True),
        ({"agent": {"gt": ""}}, False),
        ({"session": "s1"}, True),
        ({"tenant": "t"}, False),
        ({"role": "user", "kind": "message"}, True),
        ({"speaker": "Ana"}, False),
        ({"source_id": {"exists": False}}, True),
        ({"role": "admin"}, False),
        ({"metadata.role": "admin"}, True),
        ({"user_id": "ana"}, False),
        ({"user_id": "42"}, True),
    ],
)
def test_built_in_fields_come_before_metadata(filters: Any, expected: bool) -> None:
    """A built-in field that is not set is missing, and `metadata.NAME` reaches metadata of the same name."""
    assert compile_filter(filters)(card({"role": "admin", "user_id": "42"})) is expected


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"created_at": {"gte": "2026-07-25"}}, True),
        ({"created_at": {"lt": "2026-07-26"}}, False),
        ({"at": "2026-07-25T10:00:00+08:00"}, True),
        ({"at": "2026-07-25T02:00:00Z"}, True),
        ({"at": "2026-07-25"}, False),
        ({"at": {"gte": "2026-07-25", "lt": "2026-07-26"}}, True),
        ({"at": {"in": ["2026-07-25T02:00:00Z"]}}, True),
        ({"at": {"gte": date(2026, 7, 25)}}, True),
        ({"at": datetime(2026, 7, 25, 2, tzinfo=UTC)}, True),
        ({"at": {"lte": 1784944800}}, True),
        ({"updated_at": {"gt": "2026-07-27T02:00:00"}}, True),
        ({"updated_at": {"gt": "2026-07-27T02:00:00.25"}}, False),
        ({"at": {"exists": True}}, True),
        ({"metadata.at": "noon"}, True),
    ],
)
def test_times_compare_as_times(filters: Any, expected: bool) -> None:
    """Offsets, dates without a clock (their first instant, in UTC) and fractions of a second are understood."""
    assert compile_filter(filters)(card({"at": "noon"})) is expected


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        ({"t": {"in": "news"}}, "'t': in takes a list"),
        ({"t": {"nin": "news"}}, "'t': nin takes a list"),
        ({"t": {"in": {"a": 1}}}, "'t': in takes a list"),
        ({"t": {"like": "n%"}}, "'t': unknown operator 'like'"),
        ({"t": {"$gte": 1}}, "did you mean 'gte'"),
        ({"t": {"GT": 1}}, "did you mean 'gt'"),
        ({"t": {1: 1}}, "unknown operator 1"),
        ({"t": {"x": [1]}}, r"write \{'eq': "),
        ({"t": {}}, "names no operator"),
        ({"t": {"exists": 1}}, "exists takes true or false"),
        ({"t": {"gt": None}}, "gt takes a number or a string"),
        ({"t": {"lt": True}}, "lt takes a number or a string"),
        ({"t": {"gte": [1]}}, "gte takes a number or a string"),
        ({"t": datetime(2026, 1, 1, tzinfo=UTC)}, "'t': metadata holds JSON"),
        ({"t": [b"x"]}, "bytes can match none"),
        ({"t": {"eq": {"x": object()}}}, "object can match none"),
        ({1: "x"}, "key 1 is int"),
        ("user", "a filter is a mapping"),
        ([{"t": 1}], "a filter is a mapping"),
        ({"AND": {"t": 1}}, "AND takes a list"),
        ({"OR": []}, "OR takes a list of one or more"),
        ({"$or": [{"t": 1}]}, "did you mean 'or'.*metadata.\\$or"),
        ({"Or": [{"t": 1}]}, "did you mean 'or'"),
        ({"$and": [{"t": 1}]}, "did you mean 'and'"),
        ({"Not": {"t": 1}}, "did you mean 'not'"),
        ({"and": ["t"]}, "a filter is a mapping"),
        ({"NOT": [{"t": 1}]}, "a filter is a mapping"),
        ({"user": None}, "'user' compares with strings.*exists"),
        ({"user": 5}, "give a string"),
        ({"user": ["a"]}, "use 'in'"),
        ({"kind": {"in": ["fact", None]}}, "'kind' compares with strings"),
        ({"at": "soon"}, "'at': not a time.*metadata.at"),
        ({"at": None}, "'at' compares with times"),
        ({"at": {"gt": True}}, "'at': not a time"),
    ],
)
def test_refusals_name_the_key_and_the_cure(filters: Any, words: str) -> None:
    """A filter that can never match, or that is not understood, is an error when it is compiled."""
    with pytest.raises(InvalidFilter, match=words):
        compile_filter(filters)


def test_deep_nesting_is_refused() -> None:
    filters: dict[str, Any] = {"t": 1}
    for _ in range(5000):
        filters = {"NOT": filters}
    with pytest.raises(InvalidFilter, match="50 deep"):
        compile_filter(filters)
    assert scope_ids({"AND": [filters]}) == {}


@pytest.mark.parametrize(
    "wrap", [lambda x: {"not": x}, lambda x: {"and": [x]}, lambda x: {"k": {"eq": [x]}}, lambda x: [x]]
)
def test_any_nesting_of_3000_is_refused(wrap) -> None:
    """Operators, lists and operands alike: a typed error, never an exhausted stack; also for what holds itself."""
    deep = {"k": 1}
    for _ in range(3000):
        deep = wrap(deep)
    for one in (deep, {"k": deep}, {"k": {"in": [deep]}}, {"not": deep}):
        with pytest.raises(InvalidFilter, match="50 deep"):
            compile_filter(one)
        assert scope_ids(one) == {}
    loop: list[Any] = []
    loop += [loop, loop]
    with pytest.raises(InvalidFilter, match="50 deep"):
        compile_filter({"k": loop})


def test_an_invalid_filter_is_invalid_input() -> None:
    assert issubclass(InvalidFilter, InvalidInput)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (None, {}),
        ({"topic": "x", "user_id": "u1"}, {}),
        ({"user": "u1"}, {"user": "u1"}),
        ({"user": {"eq": "u1"}}, {"user": "u1"}),
        ({"user": {"eq": "u1", "exists": True}, "session": "s"}, {"user": "u1", "session": "s"}),
        ({"AND": [{"agent": "a"}, {"and": [{"tenant": "t"}]}]}, {"agent": "a", "tenant": "t"}),
        ({"user": "u1", "AND": [{"user": "u1"}]}, {"user": "u1"}),
        ({"OR": [{"user": "u1"}]}, {}),
        ({"NOT": {"user": "u1"}}, {}),
        ({"user": {"in": ["u1"]}, "agent": {"ne": "a"}}, {}),
    ],
)
def test_scope_ids(filters: Any, expected: dict[str, str]) -> None:
    """Equality on user, agent, session or tenant is a scope; anything weaker is only a filter."""
    assert scope_ids(filters) == expected


def test_scope_ids_refuse_a_contradiction() -> None:
    with pytest.raises(InvalidFilter, match="'user' asks for 'a' and for 'b'"):
        scope_ids({"user": "a", "AND": [{"user": "b"}]})


def test_a_compiled_filter_does_not_change_with_the_callers_lists() -> None:
    wanted = ["a"]
    accepts = compile_filter({"k": {"in": wanted}, "l": wanted})
    wanted.append("b")
    assert [accepts(card({"k": key, "l": "z"})) for key in "ab"] == [False, False]
    assert accepts(card({"k": "a", "l": ["a"]}))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.sampled_from(["", "1", "a", "杏"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=5,
)


@given(value=JSON, operand=JSON)
def test_negations_and_reflexivity(value: Any, operand: Any) -> None:
    """ne is not eq, nin is not in, NOT is not; and every JSON value equals itself."""
    assert matches(value, {"eq": value}) is True
    equal = matches(value, {"eq": operand})
    assert matches(value, {"ne": operand}) is not equal
    assert matches(value, {"in": [operand]}) is equal
    assert matches(value, {"nin": [operand]}) is not equal
    assert compile_filter({"NOT": {"k": {"eq": operand}}})(card({"k": value})) is not equal


def test_the_page_lists_every_operator_and_field() -> None:
    """The reference page and the engine name the same operators, fields and results."""
    page = (Path(__file__).parents[1] / "docs" / "reference" / "filters.md").read_text(encoding="utf-8")
    for name in (*OPERATORS, *FIELDS):
        assert f"`{name}`" in page, name
    rows = [line for line in page.splitlines() if line.endswith(("| yes |", "| no |"))]
    words = {"+": "yes", "-": "no"}
    expected = [[words[mark] for mark in marks.split()] for _operator, _operand, marks in TABLE]
    assert [[cell.strip() for cell in row.split("|")[2:-1]] for row in rows] == expected
