"""Real answers of models to repeated calls, read from the excerpt beside this module."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).parent / "data"

# The codes of the sentences' labels, named as the prompt of the study names them.
STEPS = {
    "1a": "claiming_centrality",
    "1b": "topic_generalization",
    "1c": "gap_or_niche",
    "2a": "counter_claiming",
    "2b": "indicating_a_gap",
    "2c": "question_raising",
    "2d": "continuing_a_tradition",
    "3a": "outlining_purposes",
    "3b": "present_research",
    "3c": "principal_findings",
    "3d": "article_structure",
}


@dataclass(frozen=True, slots=True)
class Recording:
    """What a model answered for one case in one recorded run.

    ``run`` is its number in its source, counted from 1. ``output_sha256`` holds the first 12 hex
    digits of the digest of the whole answer, ``None`` when the answer is not a recorded one.
    """

    case: str
    run: int
    call_id: str
    output_sha256: str | None
    label: str


def sentence_recordings() -> Iterator[Recording]:
    """Yield the labels of sentences; one call labels all sentences of a text."""
    for row in _rows("sentences.csv"):
        for number, code in enumerate(row["labels"].split(), start=1):
            case = f"{row['text']}-{number}"
            yield Recording(case, *_call(row), STEPS[code])


def answer_recordings(task: str) -> Iterator[Recording]:
    """Yield the answers to multiple-choice questions of a task; one call answers one question."""
    for row in _rows("answers.csv"):
        if row["task"] == task:
            yield Recording(f"{task}-{row['item']}", *_call(row), row["label"])


def _call(row: dict[str, str]) -> tuple[int, str, str]:
    return int(row["run"]), row["call_id"], row["output_sha256"]


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (DATA / name).open(newline="") as file:
        yield from csv.DictReader(file)
