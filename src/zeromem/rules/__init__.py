"""Language rules as data: one folder a language, one table a topic, each with examples that are run as tests.

In: a language ("en", "zh") and a table name. Out: the parsed TOML, read once and kept. It interprets nothing: the module that uses a
table says what its keys mean.
"""

import tomllib
from functools import cache
from importlib import resources
from typing import Any

LANGUAGES = ("en", "zh")


@cache
def table(language: str, name: str) -> dict[str, Any]:
    """The table `rules/<language>/<name>.toml`; callers must not change it. Raises `FileNotFoundError` if there is none."""
    path = resources.files(__name__).joinpath(language, f"{name}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))
