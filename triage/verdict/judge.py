"""Judge a run: questions, weights, findings, one conclusion, and what follows from it."""

from collections.abc import Sequence

from triage.history.suite_state import margin_check
from triage.history.suites import suite_history
from triage.history.vocabularies import vocabularies
from triage.models import Run, Verdict
from triage.policy.stored import PolicyInForce, policy_in_force
from triage.verdict.accounts import accounts_of
from triage.verdict.allowing import allowed_once, let_pass
from triage.verdict.base import base_failures
from triage.verdict.changes import (
    change_sentence,
    epoch_changes,
    unpinned_models,
    unpinned_sentence,
)
from triage.verdict.completeness import (
    Completeness,
    RunState,
    completeness,
    note_when_to_look,
)
from triage.verdict.counting import RunCounts, RunFailures, count_failures, count_run
from triage.verdict.document import Summary
from triage.verdict.escalations.effects import apply_decisions, decisions_in_effect
from triage.verdict.escalations.opening import open_escalations
from triage.verdict.incidents import incident_notes
from triage.verdict.judgements import Judgement, judgement
from triage.verdict.keeping import keep_verdict
from triage.verdict.mutes import mutes_at
from triage.verdict.news import tell
from triage.verdict.policy_notes import policy_notes
from triage.verdict.questions import CiRun, Question, attempts_of, questions_of
from triage.verdict.rules import SEVERITY, conclude
from triage.verdict.run_policy import RunPolicy
from triage.verdict.settlement import charge, correct_tallies
from triage.verdict.signatures import seen_elsewhere
from triage.verdict.standings import BudgetStanding, account_standings, repository_standing
from triage.verdict.tie_breaks import rule_on_flips
from triage.verdict.weighing import Circumstances, weigh

# A run in which every prompt changed has one cause; a few examples show it.
MOST_NOTES = 3


def judge(run: Run, in_force: PolicyInForce | None = None) -> Verdict:
    """Judge a run and, if a later attempt of it exists, that one too; return the run's verdict.

    The caller holds the repository's lock. Judging again changes nothing that still holds. The
    policy is the one in force unless another one is to be tried.
    """
    policy = RunPolicy(in_force or policy_in_force(run.repository_id))
    ci_run = attempts_of(run)
    latest = ci_run.attempts[-1]
    if latest.pk != run.pk:
        _judge_attempt(latest, ci_run, policy)
    return _judge_attempt(run, ci_run, policy)


def _judge_attempt(run: Run, ci_run: CiRun, policy: RunPolicy) -> Verdict:
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
        label_sets={each.result.case_id: policy.label_set(each.result.case) for each in questions},
        tilt=failures.tilt,
        margin_noise=suite.margin_noise if margin_check(run.repository_id).passes else 0.0,
    )
    judgements = _judge_questions(run, ci_run, questions, shared, policy)
    correct_tallies(run, judgements)
    if run.is_trusted:
        open_escalations(judgements, policy)
    found = completeness(ci_run, counts, policy)
    note_when_to_look(ci_run.attempts[-1], found)
    summary = _summary(run, ci_run, counts, failures, judgements, policy, found)
    verdict = keep_verdict(run, summary, judgements)
    tell(verdict, summary, judgements)
    return verdict


def _judge_questions(
    run: Run,
    ci_run: CiRun,
    questions: Sequence[Question],
    shared: Circumstances,
    policy: RunPolicy,
) -> list[Judgement]:
    tie_breaks = [policy.tie_break(question) for question in questions]
    weights = rule_on_flips(questions, weigh(questions, shared), tie_breaks)
    weights = apply_decisions(questions, weights, decisions_in_effect(questions))
    cases = [question.result.case_id for question in questions]
    base = base_failures(run, cases)
    mutes = mutes_at(cases, run.at)
    charge(run.repository_id, ci_run, questions, weights, mutes)
    standings = _standings(run, questions, shared, policy)
    judgements = [
        judgement(
            question,
            weight,
            standings.get(question.result.epoch_id or 0),
            base.get(question.result.case_id),
            mutes.get(question.result.case_id),
            shared,
            tie_break,
        )
        for question, weight, tie_break in zip(questions, weights, tie_breaks, strict=True)
    ]
    return sorted(let_pass(judgements, allowed_once(ci_run)), key=_worst_first)


def _worst_first(each: Judgement) -> tuple[int, str, str]:
    title = each.question.result.case.title
    return SEVERITY.index(each.kind), title, each.question.part_name


def _standings(
    run: Run, questions: Sequence[Question], shared: Circumstances, policy: RunPolicy
) -> dict[int, BudgetStanding]:
    epochs = {
        each.result.epoch.pk: (each.result.case, each.result.epoch)
        for each in questions
        if each.result.epoch is not None
    }
    accounts = accounts_of(list(epochs.values()), policy)
    standings = account_standings(accounts, shared.wording_prior, shared.llm_cases, run.at)
    return dict(zip(epochs, standings, strict=True))


def _summary(
    run: Run,
    ci_run: CiRun,
    counts: RunCounts,
    failures: RunFailures,
    judgements: Sequence[Judgement],
    policy: RunPolicy,
    found: Completeness,
) -> Summary:
    is_cut_off = any(attempt.is_incomplete for attempt in ci_run.attempts)
    open_ones = [each.kind for each in judgements if each.allowed is None]
    conclusion = conclude(
        open_ones,
        has_cases=counts.cases > 0,
        is_incomplete=is_cut_off or found.lost_reports > 0,
        parts_are_missing=found.state is not RunState.COMPLETE,
        holding=policy.holding,
        some_are_allowed=len(open_ones) < len(judgements),
    )
    standing = repository_standing(run.repository_id, run.at)
    elsewhere = seen_elsewhere(run, judgements)
    return Summary(
        conclusion,
        counts,
        failures,
        standing,
        is_cut_off,
        found,
        (*(each.sentence for each in incident_notes(run, judgements)), *_notes(run)),
        elsewhere,
        policy_sha256=policy.in_force.sha256,
    )


def _notes(run: Run) -> tuple[str, ...]:
    changes = [change_sentence(change) for change in epoch_changes(run)]
    unpinned = [unpinned_sentence(*each) for each in unpinned_models(run).items()]
    return (*policy_notes(run), *changes[:MOST_NOTES], *unpinned[:MOST_NOTES])
