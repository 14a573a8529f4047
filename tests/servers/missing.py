"""What a test does without its server: it is skipped on a desk and fails in CI."""

import os
from typing import NoReturn

import pytest


def is_ci() -> bool:
    """Tell whether nobody is watching, so that a skipped test would go unseen."""
    return os.environ.get("CI", "").lower() == "true"


def stop_without(server: str, remedy: str) -> NoReturn:
    """Skip the test, or fail it in CI, and say how to get the server."""
    message = f"no {server} on this machine; {remedy}"
    if is_ci():
        pytest.fail(message, pytrace=False)
    pytest.skip(message)
