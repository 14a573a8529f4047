"""promptfoo, whose JUnit tells that an assertion failed and nothing of what the model said."""

import re

from triage.parse.dialects.dialect import Dialect, Traits

PROMPTFOO_SUITE = re.compile(r"\[.*\] prompt \d+")


def is_promptfoo(traits: Traits) -> bool:
    """Whether promptfoo wrote it."""
    return traits.root_name == "promptfoo" or bool(PROMPTFOO_SUITE.match(traits.suite_name))


PROMPTFOO = Dialect(
    "promptfoo",
    is_promptfoo,
    missing_evidence=(
        "promptfoo's JUnit holds no output and no label, so that a label flip cannot be told from "
        "other wording; add '-o results.json' to the call of promptfoo and upload it beside the XML"
    ),
)
