"""Which answers are worth another try."""

import pytest
import time_machine

from triage.notifications.answers import refuse_failure
from triage.notifications.failures import DeliveryFailure
from triage.notifications.posting import Answer


def failure_of(status: int, retry_after: str = "", location: str = "") -> DeliveryFailure:
    with pytest.raises(DeliveryFailure) as raised:
        refuse_failure(Answer(status, "body", location, retry_after))
    return raised.value


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_any_success_is_one(status: int) -> None:
    refuse_failure(Answer(status, "", "", ""))


@pytest.mark.parametrize(
    ("status", "is_temporary"),
    [
        *((status, False) for status in (301, 302, 307, 400, 401, 403, 404, 410)),
        *((status, True) for status in (408, 425, 429, 500, 502, 503, 504, 599)),
    ],
)
def test_only_temporary_answers_are_tried_again(status: int, *, is_temporary: bool) -> None:
    failure = failure_of(status)

    assert failure.is_temporary is is_temporary
    assert f"answered {status}" in failure.reason
    assert failure.response == "body"


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("120", 120.0),
        ("Tue, 01 Dec 2026 12:05:00 GMT", 300.0),
        ("Tue, 01 Dec 2026 11:00:00 GMT", 0.0),
        ("Tue, 01 Dec 2026 12:05:00", None),
        ("soon", None),
        ("-1", None),
        ("²", None),
        ("", None),
        ("9" * 400, 999_999_999.0),
    ],
)
@time_machine.travel("2026-12-01T12:00:00Z", tick=False)
def test_the_time_to_come_again_is_read_in_both_forms(asked: str, seconds: float | None) -> None:
    assert failure_of(429, asked).retry_after_s == seconds


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("https://elsewhere.example/secret", "a redirect to elsewhere.example; redirects are not"),
        ("/secret", "a redirect; redirects are not followed"),
        ("https://[::1/secret", "a redirect; redirects are not followed"),
        ("", "a redirect; redirects are not followed"),
    ],
)
def test_a_redirect_is_named_by_its_host_since_its_path_can_be_a_password(
    location: str, shown: str
) -> None:
    failure = failure_of(307, location=location)

    assert shown in failure.reason
    assert "secret" not in failure.reason
