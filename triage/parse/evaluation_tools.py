"""Read promptfoo's and deepeval's own results where they lie beside the JUnit report."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from triage.parse import deepeval, promptfoo
from triage.parse.limits import Limits
from triage.parse.report import ReadWarning, Report
from triage.parse.side_files import SideFile, attach


@dataclass(slots=True)
class SideFiles:
    """The side files of one upload."""

    files: list[SideFile] = field(default_factory=list)
    results: list[promptfoo.PromptfooResults] = field(default_factory=list)

    def add(self, name: str, text: str, limits: Limits) -> SideFile | None:
        """Take a text when it is such a file, and return what it is; ``None`` when it is none."""
        if not text.lstrip().startswith("{") or len(text) > limits.side_file:
            return None
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            return None
        side = self._read(name, data, limits)
        if side:
            self.files.append(side)
        return side

    def _read(self, name: str, data: object, limits: Limits) -> SideFile | None:
        results = promptfoo.read_results(data, limits)
        if results:
            self.results.append(results)
            return SideFile(name, promptfoo.TOOL, results.told)
        told = deepeval.read_test_run(data)
        return SideFile(name, deepeval.TOOL, told) if told else None

    def complete(self, reports: Sequence[Report]) -> None:
        """Add to reports what side files tell of them, and say what evidence is still missing."""
        for report in reports:
            if report.dialect == promptfoo.TOOL:
                self._complete(report, promptfoo.TOOL)
                for results in self.results:
                    promptfoo.merge_repetitions(report, results.tests)
                promptfoo.name_by_description(report)
            elif deepeval.is_deepeval(report):
                report.missing_evidence = deepeval.MISSING_EVIDENCE
                self._complete(report, deepeval.TOOL)

    def _complete(self, report: Report, tool: str) -> None:
        for side in self.files:
            if side.tool != tool:
                continue
            attached = attach(report, side.told)
            if attached:
                report.missing_evidence = ""
                report.warnings.append(
                    ReadWarning(
                        f"{side.file} was read beside it: it tells of {attached} executions"
                    )
                )
