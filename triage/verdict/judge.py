"""Judge a run: questions, weights, findings, one conclusion, and what follows from it."""

from collections.abc import Sequence

from triage.history.suite_state import margin_check
from triage.history.suites import suite_history
from triage.history.vocabularies import vocabularies
from triage.models import Epoch, Run, Verdict
from triage.verdict.accounts import accounts_of
from triage.verdict.base import base_failures
from triage.verdict.changes import (
    change_sentence,
    epoch_changes,
    unpinned_models,
    unpinned_sentence,
)
from triage.verdict.counting import RunCounts, RunFailures, count_failures, count_run
from triage.verdict.document import Summary
from triage.verdict.judgements import Judgement, judgement
from triage.verdict.keeping import keep_verdict
from triage.verdict.mutes import mutes_at
from triage.verdict.news import tell
from triage.verdict.questions import CiRun, Question, attempts_of, questions_of
from triage.verdict.rules import SEVERITY, conclude
from triage.verdict.settlement import charge, correct_tallies, open_escalations
from triage.verdict.signatures import seen_elsewhere
from triage.verdict.standings import BudgetStanding, account_standings, repository_standing
from triage.verdict.weighing import Circumstances, weigh

# A run in which every prompt changed has one cause; a few examples show it.
MOST_NOTES = 3


def judge(run: Run) -> Verdict:
    """Judge a run and, if a later attempt of it exists, that one too; return the run's verdict.

    The caller holds the repository's lock. Judging again changes nothing that still holds.
    """
    ci_run = attempts_of(run)
    latest = ci_run.attempts[-1]
    if latest.pk != run.pk:
        _judge_attempt(latest, ci_run)
    return _judge_attempt(run, ci_run)


def _judge_attempt(run: Run, ci_run: CiRun) -> Verdict:
    questions = questions_of(ci_run)
    suite = suite_history(run.repository_id).replaced(
        {question.result.case.slot: question.history for question in questions}
    )
    counts = count_run(ci_run, suite.slots)
    failures = count_failures(ci_run, suite, questions)
    shared = Circumstances(
        suite.label_prior,
        suite.wording_prior,
        llm_cases=counts.llm,
        other_cases=counts.cases - counts.llm,
        vocabularies=vocabularies(run.repository_id),
        tilt=failures.tilt,
        margin_noise=suite.margin_noise if margin_check(run.repository_id).passes else 0.0,
    )
    judgements = _judge_questions(run, ci_run, questions, shared)
    correct_tallies(run, judgements)
    open_escalations(judgements)
    summary = _summary(run, ci_run, counts, failures, judgements)
    verdict = keep_verdict(run, summary, judgements)
    tell(verdict, summary, judgements)
    return verdict


def _judge_questions(
    run: Run, ci_run: CiRun, questions: Sequence[Question], shared: Circumstances
) -> list[Judgement]:
    weights = weigh(questions, shared)
    cases = [question.result.case_id for question in questions]
    base = base_failures(run, cases)
    mutes = mutes_at(cases, run.at)
    charge(run.repository_id, ci_run, questions, weights, mutes)
    standings = _standings(run, questions, shared)
    judgements = [
        judgement(
            question,
            weight,
            standings.get(question.result.epoch_id or 0),
            base.get(question.result.case_id),
            mutes.get(question.result.case_id),
            shared,
        )
        for question, weight in zip(questions, weights, strict=True)
    ]
    return sorted(judgements, key=_worst_first)


def _worst_first(each: Judgement) -> tuple[int, str, str]:
    title = each.question.result.case.title
    return SEVERITY.index(each.kind), title, each.question.part_name


def _standings(
    run: Run, questions: Sequence[Question], shared: Circumstances
) -> dict[int, BudgetStanding]:
    epochs = {question.result.epoch_id: question.result.epoch for question in questions}
    known: list[Epoch] = [epoch for epoch in epochs.values() if epoch is not None]
    standings = account_standings(
        accounts_of(known), shared.wording_prior, shared.llm_cases, run.at
    )
    return {epoch.pk: standing for epoch, standing in zip(known, standings, strict=True)}


def _summary(
    run: Run,
    ci_run: CiRun,
    counts: RunCounts,
    failures: RunFailures,
    judgements: Sequence[Judgement],
) -> Summary:
    is_incomplete = any(attempt.is_incomplete for attempt in ci_run.attempts)
    conclusion = conclude(
        [each.kind for each in judgements],
        has_cases=counts.cases > 0,
        is_incomplete=is_incomplete,
        parts_are_missing=counts.parts_got < counts.parts_expected,
    )
    standing = repository_standing(run.repository_id, run.at)
    elsewhere = seen_elsewhere(run, judgements)
    return Summary(conclusion, counts, failures, standing, is_incomplete, _notes(run), elsewhere)


def _notes(run: Run) -> tuple[str, ...]:
    changes = [change_sentence(change) for change in epoch_changes(run)]
    unpinned = [unpinned_sentence(*each) for each in unpinned_models(run).items()]
    return (*changes[:MOST_NOTES], *unpinned[:MOST_NOTES])
