"""Watch all LLM cases of a repository together: one rise in all of them, and what margins tell."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from budgets.cadence import chance_of_red
from budgets.checks import FloatArray
from budgets.margin_check import MarginCheck, check_margins
from budgets.monitor import SUITE_TILTS, update_suite
from budgets.near_tie import Margins
from budgets.priors import decision_prior
from triage.history.tallies import Tally
from triage.models import Epoch, SuiteState

# A margin's own noise shows from the second call on.
FEWEST_MARGINS = 2


def suite_monitor(repository_id: int) -> FloatArray:
    """Return the state of a suite's detector, shape (4,)."""
    state = SuiteState.objects.filter(repository_id=repository_id).first()
    return _monitor_of(state)


def margin_check(repository_id: int) -> MarginCheck:
    """Return whether margins have forecast the suite's flips better than counts did."""
    state = SuiteState.objects.filter(repository_id=repository_id).first()
    return _check_of(state) if state else MarginCheck(0, 0, 0.0, 0.0)


def watch_suite(
    repository_id: int,
    epochs: Sequence[Epoch],
    tallies: Mapping[int, Tally],
    call_of: Mapping[int, int],
) -> None:
    """Advance the detector by what one part of a reference run added.

    ``epochs`` hold the counts from before it. ``call_of`` numbers the calls, by epoch id, that
    several cases share: such cases diverge together, so they count as one. The caller holds the
    repository's lock.
    """
    accepted = [each for each in epochs if each.accepted_rate and each.pk in tallies]
    if not accepted:
        return
    state = _state(repository_id)
    diverged, rates = _per_call(accepted, tallies, call_of)
    state.monitor = update_suite(_monitor_of(state), diverged, rates).tolist()
    state.save(update_fields=["monitor"])


def score_margins(
    repository_id: int, epochs: Sequence[Epoch], tallies: Mapping[int, Tally]
) -> None:
    """Hold the forecasts that the epochs' histories made against what a part has shown.

    Only cases count whose calls all recorded a margin. The caller holds the repository's lock.
    """
    told = [each for each in epochs if _tells_margins(each, tallies.get(each.pk))]
    if not told:
        return
    scored = _score(told, [tallies[each.pk] for each in told])
    state = _state(repository_id)
    total = _check_of(state) + scored
    state.forecast_calls, state.forecast_flips = total.calls, total.flips
    state.margin_loss, state.count_loss = total.margin_loss, total.count_loss
    state.save(update_fields=["forecast_calls", "forecast_flips", "margin_loss", "count_loss"])


def _state(repository_id: int) -> SuiteState:
    return SuiteState.objects.get_or_create(repository_id=repository_id)[0]


def _monitor_of(state: SuiteState | None) -> FloatArray:
    if state is None or not state.monitor:
        return np.full(len(SUITE_TILTS), -np.inf)
    return np.array(state.monitor, dtype=float)


def _check_of(state: SuiteState) -> MarginCheck:
    return MarginCheck(
        state.forecast_calls, state.forecast_flips, state.margin_loss, state.count_loss
    )


def _per_call(
    epochs: Sequence[Epoch], tallies: Mapping[int, Tally], call_of: Mapping[int, int]
) -> tuple[list[bool], list[float]]:
    """Return per call whether wording differed, and the accepted chance that it does."""
    rates = np.array([epoch.accepted_rate for epoch in epochs], dtype=float)
    calls = np.maximum([tallies[epoch.pk].calls for epoch in epochs], 1)
    chances = chance_of_red(rates, calls)
    members: dict[tuple[bool, int], list[int]] = defaultdict(list)
    for position, epoch in enumerate(epochs):
        shared = call_of.get(epoch.pk, 0)
        members[(True, shared) if shared else (False, epoch.pk)].append(position)
    diverged = [any(tallies[epochs[at].pk].wording for at in group) for group in members.values()]
    return diverged, [float(1 - np.prod(1 - chances[group])) for group in members.values()]


def _tells_margins(epoch: Epoch, counted: Tally | None) -> bool:
    return counted is not None and (
        epoch.margins >= FEWEST_MARGINS and 0 < counted.margins == counted.calls
    )


def _score(epochs: Sequence[Epoch], counted: Sequence[Tally]) -> MarginCheck:
    label = np.array([epoch.label for epoch in epochs])
    calls = np.array([epoch.calls for epoch in epochs])
    margins = Margins(
        np.array([epoch.margins for epoch in epochs]),
        np.array([epoch.margin_sum for epoch in epochs]),
        np.array([epoch.margin_squares for epoch in epochs]),
    )
    return check_margins(
        margins,
        label,
        calls,
        np.array([each.label for each in counted]),
        np.array([each.calls for each in counted]),
        decision_prior(label, calls),
    )
