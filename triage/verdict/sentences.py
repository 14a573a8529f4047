"""What is said of a finding and of a run: English sentences with the numbers in them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from budgets.margin_check import FEWEST_FLIPS_TO_CHECK, MarginCheck
from budgets.near_tie import MarginReading
from budgets.second_pass import MIN_HISTORY_CALLS
from triage.terms import Conclusion, Difference, FindingKind
from triage.verdict.counting import RunFailures
from triage.verdict.judgements import Judgement
from triage.verdict.rules import Ground

SAFE = "Safe to merge: "
WHAT_DIFFERS = {
    Difference.TEXT: "wording differs",
    Difference.INVALID: "the output does not parse or breaks an invariant",
    Difference.UNKNOWN: "the test failed without saying what differs",
    Difference.LABEL: "the label flipped",
    Difference.CRASH: "the test raised an exception",
    Difference.PROVIDER: "the provider did not answer",
}
NAMES = {
    FindingKind.LABEL_REGRESSION: ("label regression", "label regressions"),
    FindingKind.REGRESSION: ("regression", "regressions"),
    FindingKind.OVER_BUDGET: ("case over budget", "cases over budget"),
    FindingKind.NEAR_TIE: ("near tie", "near ties"),
    FindingKind.UNDECIDED: ("undecided failure", "undecided failures"),
    FindingKind.PROVIDER_ERROR: ("provider error", "provider errors"),
    FindingKind.MUTED: ("muted wording difference", "muted wording differences"),
    FindingKind.SETTLED_TIE: ("settled tie", "settled ties"),
    FindingKind.EXPECTED_FLAKE: ("expected flake", "expected flakes"),
    FindingKind.INHERITED: ("failure inherited from the base", "failures inherited from the base"),
}


@dataclass(frozen=True, slots=True)
class Headline:
    """The first line of everything that shows a run: the decision."""

    icon: str
    text: str
    # "good", "bad", "warning" or "neutral".
    tone: str

    def __str__(self) -> str:
        return f"{self.icon} {self.text}"


def reason(each: Judgement) -> str:
    """Return why a question was judged as it was, in one sentence."""
    sentence = REASONS[each.kind](each)
    return sentence[0].upper() + sentence[1:] + "."


def next_step(each: Judgement) -> str:
    """Return what to do about a finding, in one sentence."""
    return NEXT_STEPS[each.kind](each)


def headline(
    conclusion: Conclusion,
    findings: Sequence[dict[str, object]],
    cases: int,
    failures: RunFailures,
    so_far: str = "",
) -> Headline:
    """Return the decision in one line; a burst of failures is named before its members.

    Parameters
    ----------
    conclusion : Conclusion
        The run's conclusion.
    findings : sequence of dict
        The findings of the verdict document, worst first.
    cases : int
        Number of cases in the run.
    failures : RunFailures
        How many failed and how many were due.
    so_far : str
        How much of a provisional run is there.
    """
    if conclusion is Conclusion.PROVISIONAL:
        return Headline("❔", f"Provisional: {so_far}, nothing failed", "neutral")
    counts = Counter(FindingKind(str(finding["finding"])) for finding in findings)
    line = HEADLINES[conclusion](counts, findings, cases)
    if not failures.is_burst:
        return line
    due = f"{failures.observed} failures where {failures.expected:.1f} were due"
    return replace(line, text=f"{line.text} ({due}: look for one cause)")


def of_fork(line: Headline) -> Headline:
    """Return the decision on what a fork reported: whoever wrote the code wrote the report too."""
    if line.tone != "good":
        return replace(line, text=f"{line.text} (reported by a fork, not counted)")
    told = line.text.removeprefix(SAFE)
    return Headline("❔", f"Reported by a fork, not counted and not proven: {told}", "neutral")


def _flake(each: Judgement) -> str:
    settled = ""
    if each.weight.repeats_done:
        settled = f", then {each.weight.repeats_agreeing} of {_calls(each)} calls passed"
    return f"{_what(each)}{settled}; {_budget(each)}, rate {each.rate}"


def _over_budget(each: Judgement) -> str:
    said = f"{_what(each)}, and the budget is {_standing(each)}: {_budget(each)}, rate {each.rate}"
    if each.allowed is None:
        return said
    return f"{said}; {each.allowed.who} let it pass this once, on {each.allowed.at:%Y-%m-%d}"


def margin_sentence(check: MarginCheck) -> str:
    """Return whether recorded margins may speak in a suite, with the numbers of its check."""
    if not check.calls:
        return "Margins are not used: no test records tiebreak.margin."
    if check.flips < FEWEST_FLIPS_TO_CHECK:
        return (
            f"Margins are not used yet: {check.flips} of {FEWEST_FLIPS_TO_CHECK} flips to check "
            "them on."
        )
    losses = (
        f"{check.margin_loss / check.calls:.3f} against {check.count_loss / check.calls:.3f} nats "
        f"a call over {check.calls} calls with {check.flips} flips"
    )
    if check.passes:
        return f"Margins are used: they forecast flips better than counts do ({losses})."
    return f"Margins are not used: they forecast flips no better than counts do ({losses})."


def _muted(each: Judgement) -> str:
    return f"{_what(each)}; {_mute(each)}; {_budget(each)}, rate {each.rate}"


def _mute(each: Judgement) -> str:
    if each.mute is None:
        return "muted"
    mute = each.mute
    until = f"{mute.until.day} {mute.until:%b %Y}"
    return f"muted until {until} by {mute.created_by} for {mute.owner} (“{mute.reason}”)"


def _label_regression(each: Judgement) -> str:
    why = f"chance alone does not explain it ({_margin(each) or _evidence(each)})"
    return f"{_flip(each)}; before, {_flips_before(each)}; {each.weight.ruling or why}"


def _margin(each: Judgement) -> str:
    """Name the margin where it decided: no repeat did."""
    told = each.weight.margin
    if told is None or each.weight.repeats_done or told.reading is not MarginReading.MOVED:
        return ""
    below = (told.mean - told.margin) / told.noise
    return (
        f"margin {told.margin:+.2f} nats, {below:.1f} standard deviations below its mean "
        f"{told.mean:+.2f} in {told.calls} calls"
    )


def _near_tie(each: Judgement) -> str:
    said = [_flip(each), f"before, {_flips_before(each)}", each.weight.ruling]
    # A person who is asked at once waits for no second pass.
    if each.ground is not Ground.OPEN or not each.weight.ruling:
        said.append(_second_pass(each))
    return "; ".join(part for part in said if part)


def _settled_tie(each: Judgement) -> str:
    if each.weight.ruling:
        return f"{_flip(each)}; before, {_flips_before(each)}; {each.weight.ruling}"
    return (
        f"{_flip(each)}, and the second pass settled it: {each.weight.repeats_agreeing} of "
        f"{_calls(each)} calls gave the expected label; before, {_flips_before(each)}"
    )


def _regression(each: Judgement) -> str:
    return (
        f"{_what(each)} in {_failures(each)} of {_calls(each)} calls; before, rate {each.rate}; "
        f"chance alone does not explain it ({_evidence(each)})"
    )


def _provider_error(each: Judgement) -> str:
    message = each.question.result.message
    return f"the provider did not answer, so nothing was tested: {message or 'no message'}"


def _inherited(each: Judgement) -> str:
    sha = each.base.sha[:7] if each.base else "?"
    what = _flip(each) if each.question.difference is Difference.LABEL else _what(each)
    return f"{what}, in the same way as on the base {sha}"


def _undecided(each: Judgement) -> str:
    return (
        f"{_what(each)} in {_failures(each)} of {_calls(each)} calls; before, rate {each.rate}; "
        f"{_second_pass(each)}"
    )


REASONS: dict[FindingKind, Callable[[Judgement], str]] = {
    FindingKind.EXPECTED_FLAKE: _flake,
    FindingKind.OVER_BUDGET: _over_budget,
    FindingKind.LABEL_REGRESSION: _label_regression,
    FindingKind.MUTED: _muted,
    FindingKind.NEAR_TIE: _near_tie,
    FindingKind.SETTLED_TIE: _settled_tie,
    FindingKind.REGRESSION: _regression,
    FindingKind.PROVIDER_ERROR: _provider_error,
    FindingKind.INHERITED: _inherited,
    FindingKind.UNDECIDED: _undecided,
}


def _what(each: Judgement) -> str:
    if each.question.wording_is_all_that_differs and each.expected:
        return f"wording differs, the label “{each.expected}” agrees"
    return WHAT_DIFFERS[each.question.difference]


def _flip(each: Judgement) -> str:
    flips = len(each.question.flips)
    return f"“{each.expected}” became “{each.observed}” in {flips} of {_calls(each)} calls"


def _flips_before(each: Judgement) -> str:
    if not each.rate.calls:
        return "nothing is known of this case"
    if not each.rate.divergent:
        return f"no flip in {_count(each.rate.calls, 'call')}"
    return f"flips {each.rate}"


def _second_pass(each: Judgement) -> str:
    if each.ground is Ground.OPEN:
        return _why_open(each)
    wanted, done = each.weight.repeats_wanted, each.weight.repeats_done
    return f"the second pass is open: {done} repeats done, {wanted} more wanted"


def _why_open(each: Judgement) -> str:
    calls = each.question.history.calls
    if calls < MIN_HISTORY_CALLS:
        return f"new epoch: {calls} of {MIN_HISTORY_CALLS} calls, so a person decides"
    return f"{each.weight.repeats_done} repeats did not settle it, so a person decides"


def _evidence(each: Judgement) -> str:
    chance = each.weight.probability_moved
    if chance is None:
        return "no numbers"
    return f"probability of a regression {min(100 * chance, 99.9):.1f} %"


def _budget(each: Judgement) -> str:
    if each.budget is None:
        return "no budget yet"
    return f"{each.budget.spent} of {each.budget.limit} used"


def _standing(each: Judgement) -> str:
    return each.budget.standing.value if each.budget else "unknown"


def _calls(each: Judgement) -> int:
    return each.weight.repeats_done + 1


def _failures(each: Judgement) -> int:
    return _calls(each) - each.weight.repeats_agreeing


def _repeat(each: Judgement) -> str:
    if each.ground is Ground.OPEN:
        return f"Decide: is “{each.expected}” still right, or is “{each.observed}”?"
    return f"Repeat this test {each.weight.repeats_wanted} times in a new attempt of the same run."


def _repeat_or_look(each: Judgement) -> str:
    if each.ground is Ground.OPEN:
        return "Look at the failure: repeats did not settle whether it is a regression."
    return f"Repeat this test {each.weight.repeats_wanted} times in a new attempt of the same run."


NEXT_STEPS: dict[FindingKind, Callable[[Judgement], str]] = {
    FindingKind.EXPECTED_FLAKE: lambda each: (
        "Nothing to do: it was charged to the budget."
        if each.question.result.run.is_trusted
        else "Nothing to do: what a fork reports is charged to no budget."
    ),
    FindingKind.OVER_BUDGET: lambda _: (
        "Assert on the parsed field instead of the text, or find out what raised the rate."
    ),
    FindingKind.LABEL_REGRESSION: lambda each: (
        f"Find what moved “{each.expected}” to “{each.observed}”; if “{each.observed}” is right "
        "now, change the expected label in the test."
    ),
    FindingKind.MUTED: lambda _: (
        "Nothing to do now: it was charged, and counts again after that day."
    ),
    FindingKind.NEAR_TIE: _repeat,
    FindingKind.SETTLED_TIE: lambda _: (
        "Nothing to do now; a confidence threshold for this class would spare the second pass."
    ),
    FindingKind.REGRESSION: lambda _: "Fix it: it fails on its repeats too.",
    FindingKind.PROVIDER_ERROR: lambda _: "Run it again when the provider answers.",
    FindingKind.INHERITED: lambda _: "Fix it on the base; this change did not break it.",
    FindingKind.UNDECIDED: _repeat_or_look,
}

Counts = Counter[FindingKind]
Findings = Sequence[dict[str, object]]


def _blocked(counts: Counts, findings: Findings, cases: int) -> Headline:
    if not counts[FindingKind.LABEL_REGRESSION] and not counts[FindingKind.REGRESSION]:
        over = counts[FindingKind.OVER_BUDGET]
        text = f"Flake budget used up: {_count(over, 'case')} over budget, no label flipped"
        if counts[FindingKind.NEAR_TIE]:
            text = f"Flake budget used up: {_list(counts)}"
        return Headline("❌", text, "bad")
    flip = next((f for f in findings if f["finding"] == FindingKind.LABEL_REGRESSION), None)
    pair = f" ({flip['expected']} → {flip['observed']})" if flip else ""
    return Headline("❌", f"Do not merge: {_list(counts, pair)}", "bad")


def _on_hold(counts: Counts, findings: Findings, cases: int) -> Headline:
    ties, undecided = counts[FindingKind.NEAR_TIE], counts[FindingKind.UNDECIDED]
    if not ties and not undecided:
        return Headline("⚠️", "On hold, INCOMPLETE: what a report holds is not known", "warning")
    return Headline("⚠️", f"On hold: {_list(counts)}, no proven regression", "warning")


def _passed_with_flakes(counts: Counts, findings: Findings, cases: int) -> Headline:
    failures = sum(counts.values())
    let_pass = [allowed for each in findings if isinstance(allowed := each.get("allowed"), dict)]
    if let_pass:
        return Headline("✅", f"Allowed once by {let_pass[0]['by']}: {_list(counts)}", "good")
    if counts[FindingKind.EXPECTED_FLAKE] == failures:
        text = (
            f"all {failures} failures are expected flakes"
            if failures > 1
            else ("the 1 failure is an expected flake")
        )
        return Headline("✅", f"{SAFE}{text}, no label flipped", "good")
    return Headline("✅", f"{SAFE}{_list(counts)}", "good")


def _passed(counts: Counts, findings: Findings, cases: int) -> Headline:
    return Headline("✅", f"{SAFE}{_count(cases, 'test')}, no failure", "good")


def _no_results(counts: Counts, findings: Findings, cases: int) -> Headline:
    return Headline("❔", "No results: the reports hold no test", "neutral")


HEADLINES: dict[Conclusion, Callable[[Counts, Findings, int], Headline]] = {
    Conclusion.BLOCKED: _blocked,
    Conclusion.ON_HOLD: _on_hold,
    Conclusion.PASSED_WITH_FLAKES: _passed_with_flakes,
    Conclusion.PASSED: _passed,
    Conclusion.NO_RESULTS: _no_results,
}


def _list(counts: Counts, after_first: str = "") -> str:
    named = [f"{counts[kind]} {NAMES[kind][counts[kind] != 1]}" for kind in NAMES if counts[kind]]
    return ", ".join([named[0] + after_first, *named[1:]])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
