"""How long a message waits for its next try."""

from datetime import timedelta

from triage.notifications.backoff import LONGEST_WAIT, MOST_TRIES, wait_after


def test_a_message_is_tried_for_about_a_day() -> None:
    waits = [wait_after(tries, None) for tries in range(1, MOST_TRIES)]

    assert waits == sorted(waits)
    assert timedelta(hours=19) < sum(waits, timedelta()) < timedelta(hours=30)


def test_waits_are_spread() -> None:
    assert len({wait_after(1, None) for _ in range(20)}) > 1


def test_what_the_receiver_asks_for_is_waited_and_never_more_than_a_day() -> None:
    assert wait_after(1, 3600.0) == timedelta(hours=1)
    assert wait_after(1, 1e9) == LONGEST_WAIT
    assert wait_after(1, 0.0) > timedelta(minutes=1)
