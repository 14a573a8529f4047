"""Responses of the real SDKs, made by their own types."""

from typing import Any

import anthropic.types
import google.genai.types
import openai.types.chat
import openai.types.responses

from tests.client.shapes import FRAUD_CHAT, FRAUD_CONTENT, FRAUD_MESSAGE, FRAUD_RESPONSE


def chat_completion() -> Any:
    """Return a chat completion of OpenAI."""
    return openai.types.chat.ChatCompletion.model_validate(FRAUD_CHAT)


def response() -> Any:
    """Return a response of OpenAI."""
    return openai.types.responses.Response.model_validate(FRAUD_RESPONSE)


def message() -> Any:
    """Return a message of Anthropic."""
    return anthropic.types.Message.model_validate(FRAUD_MESSAGE)


def content() -> Any:
    """Return content that Google generated."""
    return google.genai.types.GenerateContentResponse.model_validate(FRAUD_CONTENT)
