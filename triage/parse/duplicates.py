"""Leave out what an upload holds twice: the same file, or an aggregate beside its parts.

Ant writes TESTS-TestSuites.xml beside every TEST-*.xml it is made of, and CI globs send both.
"""

from collections.abc import Sequence

from triage.parse.report import ReadWarning, Report, Result

Suite = tuple[str, ...]


def drop_results(report: Report, first: str) -> None:
    """Take all results out of a report whose file is the same as an earlier one.

    Its totals stay what the file says; what counts is what is left in the results.
    """
    report.results = []
    report.warnings.append(ReadWarning(f"the same content as {first}, which counts once"))


def drop_same_suites(reports: Sequence[Report]) -> None:
    """Take suites out of reports that an earlier report holds with the same times and outcomes."""
    seen: dict[int, Report] = {}
    for report in reports:
        again: dict[Suite, str] = {}
        for path, signature in _signatures(report).items():
            first = seen.setdefault(signature, report)
            if first is not report:
                again[path] = first.file
        if again:
            count = len(report.results)
            report.results = [each for each in report.results if each.case.suite not in again]
            report.warnings.append(_warning(again, count - len(report.results)))


def _warning(again: dict[Suite, str], cases: int) -> ReadWarning:
    others = ", ".join(sorted(set(again.values()))[:3])
    return ReadWarning(
        f"{len(again)} suites with {cases} cases were left out, since {others} told of them"
    )


def _signatures(report: Report) -> dict[Suite, int]:
    """Return what tells a suite from another of the same name: when it ran, and its results.

    A suite that says neither when nor for how long it ran may well be another run of the same.
    """
    stamped = {path: stamp for path, stamp in report.suite_stamps.items() if any(stamp)}
    results: dict[Suite, list[Result]] = {}
    for result in report.results:
        if result.case.suite in stamped:
            results.setdefault(result.case.suite, []).append(result)
    return {
        path: hash(
            (
                path[-1:],
                stamped[path],
                *((r.case.classname, r.case.name, r.outcome, r.duration_s) for r in members),
            )
        )
        for path, members in results.items()
    }
