"""The table that decides, as the documentation shows it.

``python -m tests.verdict.findings_table`` writes it into docs/verdicts.md.
"""

from pathlib import Path

from triage.terms import Difference
from triage.verdict.rules import FINDINGS, Ground, is_charged

PAGE = Path(__file__).parents[2] / "docs" / "verdicts.md"
BEGIN, END = "<!-- findings -->\n", "<!-- end of the findings -->\n"


def table() -> str:
    """Return a row per difference and a column per ground; what a budget pays for is marked."""
    head = f"| what differs | {' | '.join(Ground)} |\n|{' --- |' * (len(Ground) + 1)}\n"
    return head + "".join(f"| `{each}` | {' | '.join(_cells(each))} |\n" for each in Difference)


def stored() -> str:
    """Return the table as the documentation has it."""
    return PAGE.read_text().partition(BEGIN)[2].partition(END)[0]


def store(made: str) -> None:
    """Write the table into the documentation."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(before + BEGIN + made + END + rest.partition(END)[2])


def _cells(difference: Difference) -> list[str]:
    kinds = [FINDINGS[difference][ground] for ground in Ground]
    return [f"{kind}{' ¢' if is_charged(kind, difference) else ''}" for kind in kinds]


if __name__ == "__main__":
    store(table())
