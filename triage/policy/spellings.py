"""How a policy spells rates, windows, times, names and globs; each checked where it is read."""

import re
from datetime import timedelta
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from budgets.terms import LONGEST_WINDOW_DAYS

MOST_LABEL_CHARACTERS = 200
MOST_GLOB_CHARACTERS = 500
MOST_OWNER_CHARACTERS = 200
MOST_WINDOW_CALLS = 1_000_000
LONGEST_DUE = timedelta(days=30)

PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")
WINDOW = re.compile(r"(\d{1,7})\s*(d|calls)")
TIME = re.compile(r"(\d{1,4})(m|h|d)")
UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def _rate(value: object) -> object:
    if not isinstance(value, str):
        return value
    percent = PERCENT.fullmatch(value.strip())
    return float(percent[1]) / 100 if percent else value


def _below_one(rate: float) -> float:
    if not 0.0 < rate < 1.0:
        raise ValueError(
            f"must be more than 0 % and less than 100 % of the calls, got {100 * rate:g} %; "
            "write it as 2.4% or as 0.024"
        )
    return rate


def _window(text: str) -> str:
    match = WINDOW.fullmatch(text.strip())
    most = LONGEST_WINDOW_DAYS if match and match[2] == "d" else MOST_WINDOW_CALLS
    if match is None or not 1 <= int(match[1]) <= most:
        raise ValueError(
            f"must be days such as 30d (1d to {LONGEST_WINDOW_DAYS}d) or calls such as "
            f"500 calls (1 to {MOST_WINDOW_CALLS}), got {text!r}"
        )
    return f"{int(match[1])}d" if match[2] == "d" else f"{int(match[1])} calls"


def _due(text: str) -> str:
    match = TIME.fullmatch(text.strip())
    if match is None or not timedelta(0) < duration(text.strip()) <= LONGEST_DUE:
        raise ValueError(
            f"must be a time such as 30m, 4h or 2d, at most {LONGEST_DUE.days}d, got {text!r}"
        )
    return text.strip()


def _glob(text: str) -> str:
    if not text.isprintable() or not text.strip():
        raise ValueError(f"must be a pattern such as tests/evals/**, got {text!r}")
    if "\\" in text.split("::", maxsplit=1)[0]:
        raise ValueError(f"must divide folders by '/', got {text!r}")
    return text.removeprefix("./")


def _owner(text: str) -> str:
    if not text.isprintable() or any(character.isspace() for character in text):
        raise ValueError(f"must be one name such as @acme/fraud-ops or an e-mail, got {text!r}")
    return text


def duration(text: str) -> timedelta:
    """Return the time that a text such as ``4h`` stands for."""
    match = TIME.fullmatch(text)
    if match is None:
        raise ValueError(f"must be a time such as 4h, got {text!r}")
    return timedelta(**{UNITS[match[2]]: int(match[1])})


def window_days(text: str) -> int | None:
    """Return the days of a window, ``None`` where it is counted in calls."""
    return int(text[:-1]) if text.endswith("d") else None


def window_calls(text: str) -> int | None:
    """Return the calls of a window, ``None`` where it is counted in days."""
    return int(text.split(maxsplit=1)[0]) if text.endswith("calls") else None


Rate = Annotated[
    float,
    BeforeValidator(_rate, json_schema_input_type=float | str),
    AfterValidator(_below_one),
]
Window = Annotated[str, AfterValidator(_window)]
Due = Annotated[str, AfterValidator(_due)]
Glob = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MOST_GLOB_CHARACTERS),
    AfterValidator(_glob),
]
Owner = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MOST_OWNER_CHARACTERS),
    AfterValidator(_owner),
]
# A label may look like a number or a truth value; it is the text that was written.
Label = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MOST_LABEL_CHARACTERS),
    Field(json_schema_extra={"type": ["string", "number", "boolean"]}),
]
