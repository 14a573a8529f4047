"""The open questions of a run: every failing case with all its calls, over all attempts."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from triage.classify.calls import WORST_FIRST, Call
from triage.history.tallies import Tally
from triage.models import Observation, Part, Result, Run
from triage.models.vectors import Code, Codes, overlay, unpack_codes
from triage.terms import Difference, Merge, Outcome


@dataclass(slots=True)
class Question:
    """A case that failed in a part of a run, in whichever attempt, with its evidence."""

    result: Result
    part_name: str
    difference: Difference
    # All calls in order of the attempts; one that simply passed told nothing but that.
    calls: list[Call]
    history: Tally
    results: list[Result] = field(default_factory=list)

    @property
    def is_llm(self) -> bool:
        """Whether the case calls an LLM."""
        return self.result.case.is_llm

    @property
    def answered(self) -> list[Call]:
        """The calls that got an answer, from the first one that differs, which is the first call.

        What passed before it in the same run is history by then.
        """
        calls = [call for call in self.calls if call.difference is not Difference.PROVIDER]
        first = next((i for i, call in enumerate(calls) if call.difference), 0)
        return calls[first:]

    @property
    def flips(self) -> list[Call]:
        """The calls whose label differs, in order."""
        return [call for call in self.calls if call.difference is Difference.LABEL]

    @property
    def wording_is_all_that_differs(self) -> bool:
        """Whether every differing call recorded a label, and the expected one."""
        differing = [call for call in self.calls if call.difference]
        return all(
            call.difference is Difference.TEXT and call.agrees_on_label for call in differing
        )


@dataclass(frozen=True, slots=True)
class CiRun:
    """All attempts of one CI run, the one that is judged last."""

    attempts: tuple[Run, ...]
    parts: tuple[Part, ...]

    @property
    def part_names(self) -> set[str]:
        """The legs that reported in any attempt."""
        return {part.name for part in self.parts}

    def outcomes_by_part(self) -> dict[str, Codes]:
        """Return the outcome codes per leg; the latest attempt that holds a case counts."""
        merged: dict[str, Codes] = {}
        for part in self.parts:
            codes = unpack_codes(part.outcomes, 0)
            known = merged.get(part.name)
            merged[part.name] = codes if known is None else overlay(known, codes)
        return merged


def attempts_of(run: Run) -> CiRun:
    """Return the CI run with all its attempts, earliest first."""
    attempts = Run.objects.filter(
        repository_id=run.repository_id, sha=run.sha, ci_run_id=run.ci_run_id
    ).order_by("attempt")
    # A part is there once its report is recorded; before that it is only expected.
    recorded = Part.objects.filter(run__in=attempts).exclude(outcomes=b"")
    parts = recorded.order_by("run__attempt", "pk")
    return CiRun(tuple(attempts), tuple(parts))


def questions_of(ci_run: CiRun) -> list[Question]:
    """Return one question per case and leg that failed in any attempt."""
    results = (
        Result.objects.filter(run__in=ci_run.attempts)
        .select_related("case", "epoch", "part", "run")
        .prefetch_related("observations")
        .order_by("run__attempt", "pk")
    )
    grouped: dict[tuple[str, int], dict[int, Result]] = defaultdict(dict)
    for result in results:
        grouped[result.part.name, result.case_id][result.part_id] = result
    parts = _parts_by_name(ci_run)
    return [
        _question(name, group, parts[name])
        for (name, _), group in grouped.items()
        if any(has_failed(result) for result in group.values())
    ]


def calls_of(result: Result) -> list[Call]:
    """Return the stored calls of a result, in order."""
    return [_call(observation) for observation in result.observations.all()]


def has_failed(result: Result) -> bool:
    """Whether a result failed at least once; a retry that passed does not undo that."""
    retried = result.merge == Merge.RETRY and result.difference is not None
    return Outcome(result.outcome).is_failing or retried


def _parts_by_name(ci_run: CiRun) -> dict[str, list[tuple[int, Codes]]]:
    """Return each leg's parts in order of the attempts, with their outcome codes."""
    parts: dict[str, list[tuple[int, Codes]]] = defaultdict(list)
    for part in ci_run.parts:
        parts[part.name].append((part.pk, unpack_codes(part.outcomes, 0)))
    return parts


def _question(name: str, group: dict[int, Result], parts: Sequence[tuple[int, Codes]]) -> Question:
    results = list(group.values())
    calls = _calls_in_order(group, parts)
    return Question(
        result=[result for result in results if has_failed(result)][-1],
        part_name=name,
        difference=_worst(calls),
        calls=calls,
        history=Tally.from_json(min(results, key=lambda result: result.pk).history),
        results=results,
    )


def _calls_in_order(group: dict[int, Result], parts: Sequence[tuple[int, Codes]]) -> list[Call]:
    """Return the calls of all attempts; a plain pass, of which no row is kept, is one call."""
    slot = next(iter(group.values())).case.slot
    calls: list[Call] = []
    for part_id, codes in parts:
        if part_id in group:
            calls += calls_of(group[part_id])
        elif len(codes) > slot and codes[slot] == Code.PASSED:
            calls.append(Call(0, 0, None))
    return calls


def _worst(calls: Sequence[Call]) -> Difference:
    present = {call.difference for call in calls}
    return next((each for each in WORST_FIRST if each in present), Difference.UNKNOWN)


def _call(observation: Observation) -> Call:
    return Call(
        observation.try_index,
        observation.call_index,
        Difference(observation.difference) if observation.difference else None,
        observation.expected,
        observation.observed,
        observation.confidence,
        observation.margin,
        observation.response_id,
        observation.output_sha256,
    )
