"""Policies for the refund suite."""

from tests.flows.suites import REPO
from triage.models import StoredPolicy
from triage.policy.stored import Origin, take_policy
from triage.terms import PolicySource
from triage.upload.acceptance import find_or_add_repository

MATCH = "tests/evals/test_refunds.py::*"


def set_policy(text: str, repo: str = REPO) -> StoredPolicy:
    """Put a policy in force; its first line is added."""
    repository = find_or_add_repository(repo)
    reading = take_policy(repository, f"version: 1\n{text}".encode(), Origin(PolicySource.COMMAND))
    assert not reading.errors, reading.errors
    return StoredPolicy.objects.filter(repository=repository).latest("pk")


def tie_break(flow: str, **rule: str) -> str:
    """Return a policy with one rule of labels, its tie-break written in one line."""
    extra = "".join(f"\n    {name}: {value}" for name, value in rule.items())
    return f'labels:\n  - match: "{MATCH}"\n    tie_break: {flow}{extra}\n'
