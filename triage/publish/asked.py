"""What was asked for on the check of a CI run, as the check tells it."""

from collections.abc import Mapping
from typing import Any

from triage.models import RequestedAction, Run, Verdict
from triage.publish.check_run import BUTTONS, Asked
from triage.publish.inert import block, code, sentence
from triage.terms import ActionState, Button

# The newest ones say where things stand; the log of changes has them all.
MOST_ANSWERS = 5
MOST_QUESTIONS = 5
ICONS = {
    ActionState.WAITING: "⏳",
    ActionState.DONE: "✅",
    ActionState.REFUSED: "⛔",
    ActionState.FAILED: "⚠️",
}
UNDER_WAY = (ActionState.WAITING, ActionState.DONE)


def asked_of(verdict: Verdict) -> Asked:
    """Return what was asked for on any attempt of a verdict's CI run."""
    run = verdict.run
    attempts = Run.objects.filter(
        repository_id=run.repository_id, sha=run.sha, ci_run_id=run.ci_run_id
    )
    asked = RequestedAction.objects.filter(run__in=attempts).exclude(state=ActionState.DROPPED)
    newest = list(asked.order_by("-requested_at", "-pk"))
    return Asked(
        is_rerun_under_way=any(
            each.kind == Button.RERUN and each.run_id == run.pk and each.state in UNDER_WAY
            for each in newest
        ),
        answers=tuple(answer_of(each) for each in newest[:MOST_ANSWERS]),
    )


def answer_of(action: RequestedAction) -> str:
    """Return what became of what was asked for, as Markdown in which every word is inert."""
    label = BUTTONS[Button(action.kind)].label
    answer = action.answer or "it will be done shortly."
    by = sentence(f"by {action.asked_by}")
    line = f"> {ICONS[ActionState(action.state)]} **{label}** {by}: {sentence(answer)}"
    questions = action.detail.get("questions", ())
    return "\n\n".join([line, *(_question(each) for each in questions[:MOST_QUESTIONS])])


def _question(question: Mapping[str, Any]) -> str:
    """Return where a question is decided; with its diff, where it is about a new label."""
    line = f"{code(question['case'])}: [decide]({question['url']})"
    if "expected" not in question:
        return line
    labels = (("-", question["expected"]), ("+", question["observed"]))
    diff = "\n".join(f"{sign}expected label: {_on_one_line(label)}" for sign, label in labels)
    return f"{line}\n\n{block(diff, 'diff')}"


def _on_one_line(label: str) -> str:
    """Return a label that cannot pass for another line of the diff."""
    return " ".join(label.split())
