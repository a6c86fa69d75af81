"""A real language model on this machine: Qwen2.5-Coder-0.5B in llama.cpp, started once for the tests that want one."""

from __future__ import annotations

import importlib.util
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

SERVER = Path(__file__).parents[3] / "shared" / "tools" / "local_llm.py"
_PATIENCE = 600  # seconds for the download, where the file is not here yet, and for loading it
_CONTEXT = "4096"


def _missing() -> str:
    """Why there is no model here; empty where there is one."""
    if not SERVER.exists():
        return "the local language model (../shared/tools/local_llm.py) is not on this machine"
    lacking = [name for name in ("xllamacpp", "openai") if importlib.util.find_spec(name) is None]
    return f"it needs pip install {' '.join(lacking)}" if lacking else ""


@pytest.fixture(scope="session")
def llm() -> Iterator[str]:
    """The base URL of a running model."""
    if why := _missing():
        pytest.skip(why)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(SERVER), "serve", "--port", str(port), "--context", _CONTEXT]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(_PATIENCE):
                if process.poll() is not None:
                    pytest.skip(f"the local language model ended with code {process.returncode}")
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2):
                        break
                except (urllib.error.URLError, OSError):
                    time.sleep(1)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()
