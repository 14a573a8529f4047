"""The same failure is known again."""

from triage.classify.fingerprints import fingerprint, masked
from triage.parse.report import Failure
from triage.terms import Outcome


def failure(text: str) -> Failure:
    """Return a failure with this text."""
    return Failure(Outcome.FAILED, "E", text, text, len(text))


def test_numbers_ids_paths_hashes_and_values_do_not_matter() -> None:
    first = failure("KeyError: 'a' at 0x7f9e in /tmp/x1/a.py after 3.5 s, req_abc123def")
    second = failure("KeyError: 'b' at 0x7f11 in /tmp/y2/a.py after 4 s, req_zzz999xyz")

    assert fingerprint(first).digest == fingerprint(second).digest


def test_another_exception_is_another_failure() -> None:
    assert (
        fingerprint(failure("KeyError: 1")).digest != fingerprint(failure("IndexError: 1")).digest
    )


def test_the_masked_line_can_be_read() -> None:
    assert masked("expected 3 of 'x'") == "expected N of VALUE"
