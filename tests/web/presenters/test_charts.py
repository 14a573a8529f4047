"""Where the points of a chart stand."""

from datetime import date, timedelta

from triage.web.presenters.charts import BOTTOM, LEFT, MOST_BINS, RIGHT, TOP, Day, chart

START = date(2026, 11, 1)


def days(count: int, calls: int, label: int = 0) -> list[Day]:
    """Return a day after another with the same counts."""
    return [Day(START + timedelta(days=n), calls, 0, label) for n in range(count)]


def test_every_call_is_in_exactly_one_point() -> None:
    held = days(count=50, calls=7, label=2)

    shown = chart("Flips", held, [day.label for day in held], [], None)

    assert sum(point.rate.calls for point in shown.points) == 350
    assert sum(point.rate.divergent for point in shown.points) == 100
    assert len(shown.points) <= MOST_BINS


def test_few_calls_are_gathered_into_points_that_say_something() -> None:
    held = days(count=30, calls=1)

    shown = chart("Flips", held, [0] * 30, [], None)

    assert [point.rate.calls for point in shown.points] == [5, 5, 5, 5, 5, 5]


def test_a_point_never_stands_outside_its_interval_or_the_chart() -> None:
    held = days(count=30, calls=1, label=1)

    shown = chart("Flips", held, [1] * 30, [], None)

    for point in shown.points:
        assert TOP <= point.y_high <= point.y <= point.y_low <= BOTTOM
        assert LEFT <= point.x <= RIGHT


def test_one_day_alone_stands_in_the_middle() -> None:
    shown = chart("Flips", days(count=1, calls=3), [0], [], None)

    assert [point.x for point in shown.points] == [(LEFT + RIGHT) / 2]


def test_the_scale_ends_at_a_round_figure_above_the_highest_interval() -> None:
    held = days(count=10, calls=500, label=12)

    shown = chart("Flips", held, [12] * 10, [], None)

    assert shown.scale_end == 0.05


def test_epochs_are_marked_where_they_begin_but_for_the_first() -> None:
    held = days(count=10, calls=5)
    starts = [(1, START), (2, START + timedelta(days=5)), (3, START + timedelta(days=99))]

    shown = chart("Flips", held, [0] * 10, starts, None)

    assert [(mark.number, mark.x) for mark in shown.marks] == [(2, (LEFT + RIGHT) / 2)]


def test_the_accepted_rate_is_within_the_scale() -> None:
    shown = chart("Wording", days(count=10, calls=5000), [0] * 10, [], 0.1)

    assert shown.scale_end == 0.1
    assert shown.accepted_y == TOP
