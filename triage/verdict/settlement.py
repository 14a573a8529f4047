"""What follows from findings: charges and corrected tallies."""

from collections.abc import Iterable, Mapping, Sequence

from budgets.ledger import Owed, settle
from triage.classify.calls import Call
from triage.history.circumstances import (
    Circumstances,
    add_to_circumstances,
    count_calls,
    take_from_circumstances,
)
from triage.history.tallies import Tally, add_to_tallies, take_from_tallies, tally_calls
from triage.models import Mute, Result, Run
from triage.verdict.judgements import Judgement, is_payable
from triage.verdict.questions import CiRun, Question, calls_of
from triage.verdict.rules import CHARGEABLE, PROVEN
from triage.verdict.weighing import Weight


def charge(
    repository_id: int,
    ci_run: CiRun,
    questions: Sequence[Question],
    weights: Sequence[Weight],
    mutes: Mapping[int, Mute],
) -> None:
    """Charge every wording difference that a budget is asked to pay; reverse what no longer is.

    No budget pays for what a fork reports.
    """
    if not all(attempt.is_trusted for attempt in ci_run.attempts):
        return
    owed = [
        _owed(ci_run, question, result, call)
        for question, weight in zip(questions, weights, strict=True)
        if is_payable(question, weight, mutes.get(question.result.case_id))
        for result in question.results
        for call in calls_of(result)
        if call.difference in CHARGEABLE
    ]
    settle(repository_id, [attempt.pk for attempt in ci_run.attempts], owed)


def _owed(ci_run: CiRun, question: Question, result: Result, call: Call) -> Owed:
    return Owed(
        event=_event(ci_run, result, call),
        case_id=result.case_id,
        epoch_id=result.epoch_id,
        run_id=result.run_id,
        difference=str(call.difference),
        reason=f"{call.difference} difference in {question.result.case.title}",
        at=result.at,
    )


def _event(ci_run: CiRun, result: Result, call: Call) -> str:
    """Name a divergence; cases that share a call name the same one, so it is paid for once."""
    if call.response_id:
        return f"ci-run:{ci_run.attempts[0].pk}:call:{call.response_id}"
    return f"result:{result.pk}:try:{call.try_index}:call:{call.call_index}"


def correct_tallies(run: Run, judgements: Iterable[Judgement]) -> None:
    """Keep a change's proven regressions out of the history, and put back what proves otherwise.

    What a pull request breaks says nothing of how the unchanged system behaves. A reference run
    is the system, so everything it shows stays.
    """
    if run.is_reference or not run.is_trusted:
        return
    for each in judgements:
        should_count = each.kind not in PROVEN
        for result in each.question.results:
            if result.epoch_id and result.is_counted != should_count:
                _set_counted(result, should_count)


def _set_counted(result: Result, should_count: bool) -> None:  # noqa: FBT001
    epoch_id, calls = int(result.epoch_id or 0), calls_of(result)
    counted: dict[int, Tally] = {epoch_id: tally_calls(calls)}
    told = {epoch_id: [Circumstances(*each) for each in result.circumstances]}
    by_circumstances = count_calls(told, {epoch_id: calls})
    if should_count:
        add_to_tallies(result.repository_id, counted, result.at)
        add_to_circumstances(result.repository_id, by_circumstances, result.at)
    else:
        take_from_tallies(counted, result.at)
        take_from_circumstances(by_circumstances, result.at)
    result.is_counted = should_count
    result.save(update_fields=["is_counted"])
