"""Policies as teams write them."""

from triage.policy.document import Policy
from triage.policy.reading import PolicyError, read_policy

DESIGNED = """\
version: 1
llm_tests: ["tests/evals/**"]
budgets:
  - match: "tests/evals/**"
    rate: 2.4%            # accepted text divergences per call
    window: 30d           # or: 500 calls
    on_spent: block       # or warn
labels:
  - match: "tests/evals/test_refunds.py::*"
    set: [fraud, billing, shipping]
    critical: [fraud]     # a flip that touches it always blocks
    tie_break: {policy: second_pass, passes: 5, agree: 4}
gate: {undecided: hold, provider_error: neutral, inherited: pass}
"""


def policy(text: str) -> Policy:
    """Return the policy of a text that must be legal."""
    reading = read_policy(text)
    assert reading.policy is not None, [str(error) for error in reading.errors]
    return reading.policy


def errors(text: str) -> list[PolicyError]:
    """Return what is wrong with a text that must not be legal."""
    reading = read_policy(text)
    assert reading.policy is None
    return list(reading.errors)


def only(text: str) -> str:
    """Return the only error of a text, as people read it."""
    (error,) = errors(text)
    return str(error)
