"""The view that hands a page's table to other tools, row by row."""

import json
from collections.abc import Iterator
from itertools import chain

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_safe

from triage.export.cells import csv_header, csv_line, json_value
from triage.models import Repository
from triage.web.guarding import guarded
from triage.web.pages.tables import TABLES, PageTable, Rows

CONTENT_TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


@require_safe
@guarded(Repository)
def table(
    request: HttpRequest, repository: Repository, name: str, kind: str
) -> StreamingHttpResponse:
    """Return all rows of a table that fit the filter in the address."""
    if name not in TABLES or kind not in CONTENT_TYPES:
        offered = ", ".join(f"{each}.csv" for each in TABLES)
        raise Http404(
            f"There is no table “{name}.{kind}”. There are {offered}; each as .json, too."
        )
    wanted = TABLES[name]
    rows = _begun(wanted.rows(repository, request.GET))
    lines = _csv(wanted, rows) if kind == "csv" else _json(wanted, rows)
    answer = StreamingHttpResponse(lines, content_type=CONTENT_TYPES[kind])
    file = f"{repository.full_name.replace('/', '-')}-{name}.{kind}"
    answer["Content-Disposition"] = f'attachment; filename="{file}"'
    return answer


def _begun(rows: Rows) -> Rows:
    """Read the first row now: what the address asks for wrongly is told before anything is sent."""
    rest = iter(rows)
    first = next(rest, None)
    return () if first is None else chain([first], rest)


def _csv(wanted: PageTable, rows: Rows) -> Iterator[str]:
    yield csv_header(wanted.columns)
    for row in rows:
        yield csv_line(row)


def _json(wanted: PageTable, rows: Rows) -> Iterator[str]:
    yield "["
    before = "\n"
    for row in rows:
        told = dict(zip(wanted.columns, map(json_value, row), strict=True))
        yield before + json.dumps(told, ensure_ascii=False)
        before = ",\n"
    yield "\n]\n"
