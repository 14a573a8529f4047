"""A budget day by day as bars; positions are percentages of the chart's width and height."""

from collections.abc import Sequence
from dataclasses import dataclass

from triage.verdict.burn_downs import BudgetDay
from triage.web.presenters.charts import BOTTOM, LEFT, RIGHT, TOP

# Of the room of a day; the rest keeps bars apart.
BAR_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class Bar:
    """One day: a bar for what is used, a stroke at what is allowed."""

    day: BudgetDay
    x: float
    right: float
    width: float
    y: float
    height: float
    allowance_y: float


@dataclass(frozen=True, slots=True)
class BurnDown:
    """All days of a budget's chart, the forecast among them."""

    bars: Sequence[Bar]
    most: int
    top: float = TOP
    bottom: float = BOTTOM

    @property
    def stored(self) -> Sequence[Bar]:
        """The days that have been."""
        return [each for each in self.bars if not each.day.is_forecast]


def burn_down(days: Sequence[BudgetDay]) -> BurnDown | None:
    """Return the chart, or ``None`` where nothing was charged in any of the days."""
    if not any(each.spent for each in days):
        return None
    most = max(max(each.spent, each.allowance) for each in days)
    step = (RIGHT - LEFT) / len(days)
    return BurnDown([_bar(each, LEFT + n * step, step, most) for n, each in enumerate(days)], most)


def _bar(day: BudgetDay, x: float, step: float, most: int) -> Bar:
    y = _y(day.spent, most)
    return Bar(
        day=day,
        x=round(x, 2),
        right=round(x + step, 2),
        width=round(step * BAR_SHARE, 2),
        y=y,
        height=round(BOTTOM - y, 2),
        allowance_y=_y(day.allowance, most),
    )


def _y(count: int, most: int) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * count / most, 2)
