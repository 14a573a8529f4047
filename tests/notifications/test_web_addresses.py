"""Reading the URL that messages go to."""

import pytest

from triage.errors import InvalidRequestError
from triage.notifications.web_addresses import WebAddress, read_web_address


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example", WebAddress(True, "a.example", 443, "/")),
        ("http://a.example/x?y=1#z", WebAddress(False, "a.example", 80, "/x?y=1")),
        ("https://A.example:8443/x", WebAddress(True, "a.example", 8443, "/x")),
        ("http://[2001:db8::1]:8080/", WebAddress(False, "2001:db8::1", 8080, "/")),
    ],
)
def test_a_url_is_taken_apart(url: str, expected: WebAddress) -> None:
    assert read_web_address(url) == expected


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("ftp://a.example/", "must be http:// or https://"),
        ("file:///etc/passwd", "must be http:// or https://"),
        ("gopher://a.example:70/", "must be http:// or https://"),
        ("a.example", "must be http:// or https://"),
        ("https:///path", "with a host name"),
        (f"https://{'a' * 254}/", "with a host name"),
        ("https://user:secret@a.example/", "user name or password"),
        ("https://a.example:22/", "80, 443 or above 1023, got 22"),
        ("https://a.example:0/", "80, 443 or above 1023, got 0"),
        ("https://a.example:99999/", "cannot be read: Port out of range"),
        ("https://[::1/", "cannot be read"),
        ("https://a.example/ x", "without blanks"),
        ("https://a.example/\r\nX: y", "printable ASCII"),
        ("https://ä.example/", "printable ASCII"),
        (f"https://a.example/{'x' * 2000}", "at most 2000"),
    ],
)
def test_what_is_no_plain_web_address_is_refused_with_the_reason(url: str, problem: str) -> None:
    with pytest.raises(InvalidRequestError) as refused:
        read_web_address(url)

    assert problem in str(refused.value)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://hooks.example/services/T0/B0/secret", "https://hooks.example/…"),
        ("http://[2001:db8::1]:8080/secret", "http://[2001:db8::1]:8080/…"),
    ],
)
def test_what_people_see_of_a_url_is_no_password(url: str, shown: str) -> None:
    assert str(read_web_address(url)) == shown
