"""The verdict as plain text, for terminals and CI logs."""

import re
from collections.abc import Mapping
from typing import Any

from django.template.loader import render_to_string

from triage.verdict.rules import HOLDING

# Names and labels come from CI: an escape sequence among them must not reach a terminal.
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def verdict_text(document: Mapping[str, Any]) -> str:
    """Render a verdict document as text."""
    # What a burst leaves open has one reason, which the headline tells.
    open_kinds = [kind.value for kind in HOLDING]
    text = render_to_string("publish/verdict.txt", {"verdict": document, "open_kinds": open_kinds})
    return UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text).strip() + "\n"
