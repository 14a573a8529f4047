"""What is known of all LLM cases of a repository together: priors and expected failures."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from budgets.cadence import chance_of_red
from budgets.near_tie import Margins, margin_noise
from budgets.priors import BetaPrior, decision_prior, posterior_mean
from triage.history.tallies import MOMENTS, Tally
from triage.models import Case, Epoch

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SuiteHistory:
    """Tallies of the newest epoch of every LLM case, aligned by position.

    All arrays have the shape (n_cases,); ``slots`` says which case a position is.
    """

    slots: Counts
    calls: Counts
    results: Counts
    wording: Counts
    label: Counts
    crash: Counts
    # Standard deviation, in nats, of a recorded margin around its case's mean; 0 when unknown.
    margin_noise: float

    @property
    def label_prior(self) -> BetaPrior:
        """The prior of the flip rate per call."""
        return decision_prior(self.label, self.calls)

    @property
    def wording_prior(self) -> BetaPrior:
        """The prior of the rate of wording differences per call."""
        return decision_prior(self.wording, self.calls)

    def replaced(self, known: dict[int, Tally]) -> "SuiteHistory":
        """Return the history with the tallies of some slots put in place of the stored ones."""
        arrays = {
            name: getattr(self, name).copy() for name in ("calls", "wording", "label", "crash")
        }
        for position in np.flatnonzero(np.isin(self.slots, list(known))):
            before = known[int(self.slots[position])]
            for name, array in arrays.items():
                array[position] = getattr(before, name)
        return replace(self, **arrays)

    def chances_of_failing(self) -> npt.NDArray[np.float64]:
        """Return each case's chance of failing in one run that executes it once."""
        divergent = self.wording + self.label + self.crash
        prior = decision_prior(divergent, self.calls)
        rate = posterior_mean(divergent, self.calls, prior)
        calls_per_run = np.maximum(self.calls / np.maximum(self.results, 1), 1.0)
        return np.asarray(chance_of_red(rate, calls_per_run), dtype=float)


def suite_history(repository_id: int) -> SuiteHistory:
    """Read the newest epoch of every LLM case of a repository."""
    epochs = Epoch.objects.filter(repository_id=repository_id).order_by("case_id", "number")
    newest = {
        case_id: counts
        for case_id, *counts in epochs.values_list(
            "case_id", "calls", "results", "text", "invalid", "unknown", "label", "crash", *MOMENTS
        )
    }
    cases = Case.objects.filter(repository_id=repository_id, is_llm=True).values_list("pk", "slot")
    rows = [(slot, *newest[pk]) for pk, slot in cases if pk in newest]
    moments = np.array([row[-len(MOMENTS) :] for row in rows], dtype=float)
    counts = [row[: -len(MOMENTS)] for row in rows]
    table = np.array(counts, dtype=np.int64).reshape(len(rows), 8)
    return SuiteHistory(
        margin_noise=_noise(moments.reshape(len(rows), len(MOMENTS))),
        slots=table[:, 0],
        calls=table[:, 1],
        results=table[:, 2],
        wording=table[:, 3:6].sum(axis=1),
        label=table[:, 6],
        crash=table[:, 7],
    )


def _noise(moments: npt.NDArray[np.float64]) -> float:
    known = moments[moments[:, 0] > 0]
    return margin_noise(Margins(known[:, 0].astype(np.int64), known[:, 1], known[:, 2]))
