"""The public face: the names in `zeromem`, the errors, the settings."""

from __future__ import annotations

import ast
import builtins
import inspect
import pydoc
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

import zeromem
from zeromem import InvalidInput, Settings, errors
from zeromem.scoped import VERBS

SOURCE = Path(zeromem.__file__).parent


def test_all_is_sorted_and_complete() -> None:
    """`__all__` is sorted and names exactly what of ours can be got from the package, apart from its modules."""
    lazy = {name for name in zeromem.__all__ if getattr(zeromem, name, None) is not None}
    shown = {
        name
        for name, value in vars(zeromem).items()
        if not name.startswith("_") and str(getattr(value, "__module__", "")).startswith("zeromem")
    }
    assert zeromem.__all__ == sorted(zeromem.__all__)
    assert set(zeromem.__all__) == shown | lazy


def test_public_names_have_docstrings() -> None:
    """Every public class, and every public method written by us, says what it is."""
    missing = []
    for name in zeromem.__all__:
        value = getattr(zeromem, name)
        if not inspect.getdoc(value) or (is_dataclass(value) and str(value.__doc__).startswith(f"{name}(")):
            missing.append(name)
        if name in ("Memory", "AsyncMemory", "Context", "Settings"):
            for verb, member in inspect.getmembers(value, inspect.isfunction):
                if not verb.startswith("_") and not inspect.getdoc(member) and verb not in ("close",):
                    missing.append(f"{name}.{verb}")
    assert missing == []


def test_values_are_frozen_and_slotted() -> None:
    """Every public value is a frozen dataclass with slots, so that it can be shared between threads."""
    for name in zeromem.__all__:
        value = getattr(zeromem, name)
        if is_dataclass(value):
            assert value.__dataclass_params__.frozen, name  # type: ignore[attr-defined]
            assert "__slots__" in vars(value), name


ERRORS = {name: value for name, value in vars(errors).items() if inspect.isclass(value)}


def _raised() -> set[str]:
    """Names of classes that some `raise` or `return` of an error in the sources makes."""
    made = set()
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise | ast.Return) and isinstance(
                node.exc if isinstance(node, ast.Raise) else node.value, ast.Call
            ):
                call = node.exc if isinstance(node, ast.Raise) else node.value
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                    made.add(call.func.id)
    return made


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_every_error_is_raised_documented_and_ours(name: str) -> None:
    """Each error class is public, raised somewhere, stands in the tree of the module's docstring, and shadows no builtin."""
    kind = ERRORS[name]
    assert issubclass(kind, zeromem.ZeromemError)
    assert name in zeromem.__all__ and name in errors.__all__
    assert name in (errors.__doc__ or "") and kind.__doc__
    assert not hasattr(builtins, name)
    if name != "ZeromemError":
        assert name in _raised()


def test_errors_all_is_sorted() -> None:
    """The list in errors.py is whole and sorted."""
    assert errors.__all__ == sorted(ERRORS)


def test_settings_from_environment() -> None:
    """Each setting is read from `ZEROMEM_<NAME>` in its own type; keywords win; what is not set stays."""
    environment = {"ZEROMEM_DB": "/x.db", "ZEROMEM_BUDGET": "400", "ZEROMEM_POWER_SAFE": "Yes", "ZEROMEM_BUSY_TIMEOUT": "1.5",
                   "ZEROMEM_USER": "", "OTHER": "1"}  # fmt: skip
    assert Settings.from_environment(environment, window=9) == Settings(
        db="/x.db", budget=400, power_safe=True, busy_timeout=1.5, window=9
    )
    assert Settings.from_environment(environment, budget=7).budget == 7
    assert Settings.from_environment({}) == Settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [("BUDGET", "many"), ("BUDGET", "1.5"), ("POWER_SAFE", "maybe"), ("BUSY_TIMEOUT", "soon"), ("BUDGET", "-1"),
     ("BUSY_TIMEOUT", "nan"), ("BUSY_TIMEOUT", "inf"), ("BUSY_TIMEOUT", "-1"), ("EMBED_BATCH", "0"), ("WINDOW", "9" * 30),
     ("BUDGET", "9" * 5000), ("SEGMENT_LOW", "0"), ("PAGE_CACHE_KB", "-1"), ("USER", " "), ("DB", " ")],
)  # fmt: skip
def test_unreadable_settings_are_named(name: str, value: str) -> None:
    """A value of the wrong type or range is an InvalidInput that names the variable."""
    with pytest.raises(InvalidInput, match=f"ZEROMEM_{name}"):
        Settings.from_environment({f"ZEROMEM_{name}": value})


def test_settings_reach_the_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`Memory.open` without settings takes those of the environment."""
    monkeypatch.setenv("ZEROMEM_EMBEDDER", "none")
    monkeypatch.setenv("ZEROMEM_BUDGET", "123")
    with zeromem.Memory.open(tmp_path / "m.db") as memory:
        memory.add("the red kettle", user="u")
        assert memory.recall("which kettle?", user="u").budget == 123
        assert memory.stats().embedder == "none"


def test_every_setting_has_a_plain_default() -> None:
    """All settings can be written as one environment variable."""
    assert {type(field.default) for field in fields(Settings) if field.init} <= {str, int, float, bool}


def test_an_unknown_embedder_is_named(tmp_path: Path) -> None:
    """The message lists what is accepted."""
    with pytest.raises(InvalidInput, match="auto, e5, fast or none"):
        zeromem.Memory.open(tmp_path / "m.db", embedder="bert")


def test_version() -> None:
    """The version is a plain release number."""
    assert [part.isdigit() for part in zeromem.__version__.split(".")] == [True] * 3


def test_help_lists_the_verbs_of_a_scope() -> None:
    """`help(scope)` shows every verb of its own, and `help(scope.add)` the verb's own words."""
    with zeromem.Memory.open(":memory:", embedder="none") as memory:
        scope = memory.scope(user="u")
        shown = pydoc.plain(pydoc.render_doc(scope))
        assert [verb for verb in VERBS if f"`Memory.{verb}`" not in shown] == []
        assert scope.add.__doc__ == memory.add.__doc__
        with pytest.raises(AttributeError, match="its verbs are accept, add"):
            scope.forge  # noqa: B018
