"""Read a policy file for a command, with every error and its place."""

from pathlib import Path

from django.core.management.base import CommandError

from triage.policy.document import Policy
from triage.policy.reading import decode, read_policy


def read_policy_file(file: Path) -> tuple[Policy, bytes, str]:
    """Return the policy, its bytes and its text; raise ``CommandError`` with all errors."""
    try:
        body = file.read_bytes()
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}", returncode=2) from error
    text, refusal = decode(body)
    reading = refusal or read_policy(text)
    if reading.policy is None:
        told = "\n".join(f"{file}: {error}" for error in reading.errors)
        raise CommandError(told, returncode=2)
    return reading.policy, body, text
