"""The check run of a verdict: conclusion, title, summary, annotations, buttons."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from triage.publish.comment import MARKER, comment_body
from triage.publish.inert import REPLACEMENT, UNSAFE
from triage.terms import Button, Conclusion, FindingKind
from triage.verdict.completeness import RunState
from triage.verdict.rules import BLOCKING, HOLDING, PROVEN

NAME = "Tiebreak"
# The forge counts a summary in bytes and everything else in characters.
MOST_SUMMARY_BYTES = 65_535
MOST_TITLE = 255
MOST_MESSAGE = 2_000
MOST_ANNOTATIONS = 200
MOST_BUTTONS = 3


@dataclass(frozen=True, slots=True)
class Action:
    """A button beneath the check run; at most 20, 40 and 20 characters."""

    label: str
    description: str
    identifier: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a test stands in the repository."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Annotation:
    """A note at the line of a failing test."""

    path: str
    start_line: int
    end_line: int
    annotation_level: str
    title: str
    message: str


@dataclass(frozen=True, slots=True)
class CheckRun:
    """What the forge is told of a verdict."""

    status: str
    conclusion: str | None
    title: str
    summary: str
    annotations: tuple[Annotation, ...]
    actions: tuple[Action, ...]
    # Where the whole report stands; empty where there is none yet.
    url: str = ""
    # Whether the second pass alone is open: a forge that shows no buttons can only wait for it.
    is_settling: bool = False

    def output(self, annotations: Sequence[Annotation]) -> dict[str, Any]:
        """Return the output with some of the annotations, as many as a request takes."""
        return {
            "title": self.title,
            "summary": self.summary,
            "annotations": [asdict(each) for each in annotations],
        }


# A run whose failed jobs are run again is in progress, as nobody has to act yet; so is a run of
# which parts are awaited.
CONCLUSIONS = {
    Conclusion.BLOCKED: "failure",
    Conclusion.ON_HOLD: "action_required",
    Conclusion.PROVISIONAL: "neutral",
    Conclusion.PASSED_WITH_FLAKES: "success",
    Conclusion.PASSED: "success",
    Conclusion.NO_RESULTS: "neutral",
}
BUTTONS = {
    Button.RERUN: Action("Re-run failed jobs", "Second pass: repeat what failed", Button.RERUN),
    Button.ESCALATE: Action("Escalate", "Ask the owner of this class", Button.ESCALATE),
    Button.REGRESSION: Action(
        "Mark as regression", "The flip is a regression: block", Button.REGRESSION
    ),
    Button.ACCEPT_LABEL: Action(
        "Accept new label", "The new label is right: decide", Button.ACCEPT_LABEL
    ),
    Button.ALLOW_ONCE: Action("Allow once", "Let this run pass over budget", Button.ALLOW_ONCE),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for on the check of a CI run, and what became of it."""

    # Whether the forge is to re-run the failed jobs, or does so.
    is_rerun_under_way: bool = False
    # Markdown, one paragraph per answer, the newest first.
    answers: tuple[str, ...] = ()


NOTHING_ASKED = Asked()


def check_run(
    document: Mapping[str, Any],
    texts: Mapping[int, str],
    places: Mapping[int, "Place"],
    asked: Asked = NOTHING_ASKED,
) -> CheckRun:
    """Return the check run for a verdict.

    ``texts`` and ``places`` are by result id: the failures' texts, and where the tests stand. A
    second pass that nobody has started is no reason to wait: the check completes, so that its
    buttons are there.
    """
    is_settling = _waits_for_repeats(document)
    waits = (is_settling and asked.is_rerun_under_way) or _waits_for_parts(document)
    conclusion = None if waits else _conclusion(document)
    return CheckRun(
        status="in_progress" if waits else "completed",
        conclusion=conclusion,
        title=UNSAFE.sub("", document["headline"]["text"])[:MOST_TITLE],
        summary=_summary(document, texts, asked.answers),
        annotations=_annotations(document["findings"], places),
        actions=() if waits else tuple(BUTTONS[each] for each in buttons(document)),
        url=document["url"],
        is_settling=is_settling,
    )


def _conclusion(document: Mapping[str, Any]) -> str:
    """Return the forge's word; what a fork says of itself is never a success."""
    word = CONCLUSIONS[Conclusion(document["conclusion"])]
    return "neutral" if word == "success" and not document.get("is_trusted", True) else word


def _waits_for_repeats(document: Mapping[str, Any]) -> bool:
    """Whether only the second pass is open: it settles by itself."""
    is_held = document["conclusion"] == Conclusion.ON_HOLD
    return is_held and bool(document["second_pass"]["repeats"])


def _waits_for_parts(document: Mapping[str, Any]) -> bool:
    """Whether nothing failed so far, and more is to come."""
    is_waiting = (document.get("completeness") or {}).get("state") == RunState.WAITING
    return is_waiting and document["conclusion"] == Conclusion.PROVISIONAL


def _summary(document: Mapping[str, Any], texts: Mapping[int, str], answers: Sequence[str]) -> str:
    body = comment_body(document, texts, answers).removeprefix(MARKER).lstrip()
    cut = body.encode()[:MOST_SUMMARY_BYTES]
    return cut.decode(errors="ignore")


def _annotations(
    findings: Sequence[Mapping[str, Any]], places: Mapping[int, Place]
) -> tuple[Annotation, ...]:
    loud = [
        each
        for each in findings
        if each["finding"] in BLOCKING | HOLDING
        and not each.get("allowed")
        and each["result_id"] in places
    ]
    return tuple(_annotation(each, places[each["result_id"]]) for each in loud[:MOST_ANNOTATIONS])


def _annotation(finding: Mapping[str, Any], place: Place) -> Annotation:
    kind = FindingKind(finding["finding"])
    title = f"{kind.value.replace('_', ' ').capitalize()}: {finding['case']}"
    message = f"{finding['reason']}\n{finding['next_step']}"
    return Annotation(
        path=place.path,
        start_line=place.line,
        end_line=place.line,
        annotation_level="failure" if kind in BLOCKING else "warning",
        title=UNSAFE.sub(REPLACEMENT, title)[:MOST_TITLE],
        message=UNSAFE.sub(REPLACEMENT, message)[:MOST_MESSAGE],
    )


def buttons(document: Mapping[str, Any]) -> tuple[Button, ...]:
    """Return the buttons that fit a verdict: what blocks comes before what holds.

    None of them makes a flip a flake.
    """
    open_ones = [each for each in document["findings"] if not each.get("allowed")]
    kinds = {FindingKind(finding["finding"]) for finding in open_ones}
    wanted: list[Button] = []
    if FindingKind.LABEL_REGRESSION in kinds:
        wanted.append(Button.ACCEPT_LABEL)
    if FindingKind.OVER_BUDGET in kinds and not kinds & PROVEN:
        wanted.append(Button.ALLOW_ONCE)
    if document["second_pass"]["repeats"]:
        wanted.append(Button.RERUN)
    if FindingKind.NEAR_TIE in kinds:
        wanted += [Button.ESCALATE, Button.REGRESSION]
    return tuple(wanted[:MOST_BUTTONS])
