"""The rate of each token, counted where all processes see it."""

import threading

import pytest
import time_machine
from django.db import connection
from django.test import Client

from tests.flows.suites import REPO
from triage.errors import RateLimitedError
from triage.models import RequestRate
from triage.upload.acceptance import find_or_add_repository
from triage.upload.rates import count_request
from triage.upload.tokens import create_token

NOON = 1_790_000_000


@pytest.fixture
def limit(settings) -> int:  # type: ignore[no-untyped-def]
    """Return a limit that a test can reach."""
    settings.RATE_LIMIT_PER_MINUTE = 6
    return 6


@pytest.mark.django_db
def test_so_many_requests_are_let_in_and_the_next_is_told_when_to_come(limit: int) -> None:
    repository = find_or_add_repository(REPO)
    with time_machine.travel(NOON, tick=False) as clock:
        for _ in range(limit):
            count_request(repository.pk, "token 1")
        for _ in range(2):
            with pytest.raises(RateLimitedError) as refused:
                count_request(repository.pk, "token 1")
            assert refused.value.retry_after == 10
        count_request(repository.pk, "token 2")
        clock.shift(10)
        count_request(repository.pk, "token 1")
        with pytest.raises(RateLimitedError):
            count_request(repository.pk, "token 1")


@pytest.mark.django_db
def test_the_answer_says_when_to_come_again(limit: int) -> None:
    headers = {"Authorization": f"Bearer {create_token(find_or_add_repository(REPO), 'ci')}"}
    answers = [Client().get("/api/v1/cases", headers=headers) for _ in range(limit + 1)]

    assert [each.status_code for each in answers] == [200] * limit + [429]
    assert answers[-1].json()["error"]["code"] == "rate_limited"
    assert 1 <= int(answers[-1]["Retry-After"]) <= 10


@pytest.mark.django_db
def test_zero_counts_nothing(settings) -> None:  # type: ignore[no-untyped-def]
    settings.RATE_LIMIT_PER_MINUTE = 0
    count_request(find_or_add_repository(REPO).pk, "token 1")

    assert not RequestRate.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_callers_at_the_same_time_share_one_count(limit: int) -> None:
    repository = find_or_add_repository(REPO)
    outcomes: list[bool] = []

    def ask() -> None:
        try:
            count_request(repository.pk, "token 1")
            outcomes.append(True)
        except RateLimitedError:
            outcomes.append(False)
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(3 * limit)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(outcomes) == limit
    assert len(outcomes) == 3 * limit
