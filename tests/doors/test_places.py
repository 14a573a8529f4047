"""What addresses tell of a repository, a run and an attempt."""

import pytest

from triage.doors.places import Place, attempt_of_key, place_of_run, repo_of_remote


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://github.com/acme/bot/actions/runs/98", Place("acme/bot", "98", None)),
        ("https://ghe.acme.com/acme/bot/actions/runs/98/attempts/2", Place("acme/bot", "98", 2)),
        ("https://buildkite.com/acme/bot/builds/98", Place()),
        ("", Place()),
    ],
)
def test_a_run_is_read_out_of_its_address(url: str, place: Place) -> None:
    assert place_of_run(url) == place


@pytest.mark.parametrize(
    ("url", "repo"),
    [
        ("https://github.com/acme/bot.git", "acme/bot"),
        ("https://user@github.com/acme/bot/", "acme/bot"),
        ("git@github.com:acme/ml/bot.git", "acme/ml/bot"),
        ("ssh://git@host:22/acme/bot", "acme/bot"),
        ("bot", None),
        ("https://github.com/../../etc/passwd", None),
    ],
)
def test_a_repository_is_read_out_of_a_remote(url: str, repo: str | None) -> None:
    assert repo_of_remote(url) == repo


@pytest.mark.parametrize(
    ("key", "attempt"), [("__run_3-77-2", 2), ("test-1-12", 12), ("build-id", None), ("", None)]
)
def test_an_attempt_is_read_out_of_a_key(key: str, attempt: int | None) -> None:
    assert attempt_of_key(key) == attempt
