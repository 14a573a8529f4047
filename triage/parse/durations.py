"""Read the seconds that a reporter wrote, in whatever locale it wrote them."""

import math
import re

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
AMBIGUOUS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")


def read_seconds(text: str | None) -> float | None:
    """Return seconds, or ``None`` when the text tells none: never zero, never an error.

    A negative duration is a clock that was set back while the test ran: zero is the nearest
    truth. ``1,234`` could be either; without a zero before the comma it is taken for thousands.
    """
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = _localised(text)
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def is_ambiguous(text: str) -> bool:
    """Whether seconds could be read in two ways: one comma, and three digits behind it."""
    return "," in text and bool(AMBIGUOUS.fullmatch(text.strip()))


def _localised(text: str) -> float:
    digits = re.sub(r"[\s\u00a0\u202f']", "", text)
    plain = _with_point(digits)
    return float(plain) if NUMBER.fullmatch(plain) else math.nan


def _with_point(digits: str) -> str:
    """Return a number with one decimal point out of one with commas."""
    if "," not in digits:
        return digits
    if "." in digits:
        if digits.rindex(",") > digits.rindex("."):
            return digits.replace(".", "").replace(",", ".")
        return digits.replace(",", "")
    whole, _, fraction = digits.rpartition(",")
    is_thousands = "," in whole or (len(fraction) == 3 and whole.lstrip("+-") != "0")
    return digits.replace(",", "") if is_thousands else f"{whole}.{fraction}"
