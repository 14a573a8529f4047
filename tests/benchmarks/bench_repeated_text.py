"""What one failure costs whose text repeats one thing a million times, beside plain lines.

A pattern that backtracks shows here: its time grows with the square of the text.
"""

import os
import sys
import time
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

CHARACTERS = 1_000_000
ROUNDS = 3
PLAIN = "the answer was another one\n"
# Backtracking takes minutes; entities of XML and many lines take some times as long as plain text.
MOST_TIMES_PLAIN = 25.0
PLACES = ("text", "message", "name", "output")
REPEATED = (
    "a", " ", "\n", "\t", " \n", "a\n", "0", "1.", "-", "_", "'", "(", "[", "<", "a=", "@", "\\",
    "é", ":", "`", "![", "assert ", "E   ", "Error: ", "http://", "eyJ", "expected: ",
    "Expected: a\n", "* [a] = ", "with expansion:\n",
)  # fmt: skip


def document(place: str, words: str) -> bytes:
    """Return a report with words in one place of its only failure."""
    told = dict.fromkeys(PLACES, "x") | {place: words}
    return (
        f"<testsuite name='s'><testcase classname='c' name={quoteattr(told['name'])}>"
        f"<failure message={quoteattr(told['message'])}>{escape(told['text'])}</failure>"
        f"<system-out>{escape(told['output'])}</system-out></testcase></testsuite>"
    ).encode()


def seconds(place: str, unit: str) -> float:
    """Return the best of some rounds of reading a report that repeats a unit."""
    from triage.parse.upload import UploadedFile, read_upload

    body = document(place, unit * (CHARACTERS // len(unit)))
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        read_upload((UploadedFile("junit.xml", body),))
        times.append(time.perf_counter() - start)
    return min(times)


def measured() -> Iterator[float]:
    """Print the worst of each place; yield how many times as long as plain text it takes."""
    print(f"{'place':>8} {'plain s':>9} {'worst s':>9} {'x plain':>8}  repeated")
    for place in PLACES:
        plain = seconds(place, PLAIN)
        worst, unit = max((seconds(place, each), each) for each in REPEATED)
        print(f"{place:>8} {plain:>9.4f} {worst:>9.4f} {worst / plain:>8.1f}  {unit!r}", flush=True)
        yield worst / plain


def main() -> int:
    """Print the table; return 1 when something takes too many times as long."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    is_good = max(measured()) <= MOST_TIMES_PLAIN
    print("all within bounds" if is_good else f"BAD: more than {MOST_TIMES_PLAIN:.0f} times")
    return int(not is_good)


if __name__ == "__main__":
    sys.exit(main())
