"""The view that hands a page's table to other tools, row by row."""

import json
from collections.abc import Iterator

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_safe

from triage.export.cells import csv_header, csv_line, json_value
from triage.models import Repository
from triage.web.guarding import guarded
from triage.web.pages.tables import TABLES, PageTable

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
    lines = (
        _csv(wanted, repository, request) if kind == "csv" else _json(wanted, repository, request)
    )
    answer = StreamingHttpResponse(lines, content_type=CONTENT_TYPES[kind])
    file = f"{repository.full_name.replace('/', '-')}-{name}.{kind}"
    answer["Content-Disposition"] = f'attachment; filename="{file}"'
    return answer


def _csv(wanted: PageTable, repository: Repository, request: HttpRequest) -> Iterator[str]:
    yield csv_header(wanted.columns)
    for row in wanted.rows(repository, request.GET):
        yield csv_line(row)


def _json(wanted: PageTable, repository: Repository, request: HttpRequest) -> Iterator[str]:
    yield "["
    before = "\n"
    for row in wanted.rows(repository, request.GET):
        told = dict(zip(wanted.columns, map(json_value, row), strict=True))
        yield before + json.dumps(told, ensure_ascii=False)
        before = ",\n"
    yield "\n]\n"
