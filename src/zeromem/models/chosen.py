"""Which chat models a memory speaks with: the one that was handed in, or the one that the settings name.

In: what the caller gave, settings. Out: the model for answers and the one for upkeep, which may be a cheaper one on the same endpoint and
budget. The HTTP client is imported only where a URL is set.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from zeromem.errors import InvalidInput
from zeromem.models.budget import Budget
from zeromem.ports import Chat
from zeromem.replies import Prices
from zeromem.settings import Settings


def chats(given: Any, settings: Settings) -> tuple[Chat | None, Chat | None]:
    """The chat for `ask`, and the one for `maintain`. Raises InvalidInput for an object that is no chat, and for a URL without a model."""
    if given is not None:
        if not callable(getattr(given, "chat", None)) or not isinstance(getattr(given, "model", None), str):
            raise InvalidInput("chat must be an object with .model and a method chat(), see zeromem.ports.Chat")
        return given, given
    if not settings.chat_url:
        return None, None
    http = import_module("zeromem.models.http")
    chat = http.HttpChat(
        settings.chat_url, settings.chat_model, settings.chat_key, timeout=settings.chat_timeout,
        budget=Budget(settings.chat_calls, settings.chat_tokens),
        prices=Prices(settings.chat_price_prompt, settings.chat_price_completion),
    )  # fmt: skip
    return chat, chat.named(settings.chat_upkeep_model) if settings.chat_upkeep_model else chat
