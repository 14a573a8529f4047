"""The views of the log of changes: a page, and the same as CSV."""

import json
from collections.abc import Iterator

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from triage.export.cells import csv_header, csv_line
from triage.models import AuditEntry, Repository
from triage.terms import Role
from triage.web.guarding import guarded
from triage.web.pages.audit_log import audit_entries, audit_log_page

COLUMNS = ("at", "who", "action", "subject", "detail", "address")
AT_ONCE = 1_000


@require_safe
@guarded(Repository, read=Role.ADMIN)
def audit_log(request: HttpRequest, repository: Repository) -> HttpResponse:
    """Show who changed what."""
    page = audit_log_page(repository, request.GET)
    return render(request, "web/audit_log.html", {"page": page})


@require_safe
@guarded(Repository, read=Role.ADMIN)
def audit_csv(request: HttpRequest, repository: Repository) -> StreamingHttpResponse:
    """Send everything that the page would list, as CSV."""
    lines = _lines(audit_entries(repository, request.GET))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    name = repository.full_name.replace("/", "-")
    response["Content-Disposition"] = f'attachment; filename="changes-{name}.csv"'
    return response


def _lines(entries: QuerySet[AuditEntry]) -> Iterator[str]:
    yield csv_header(COLUMNS)
    for each in entries.iterator(chunk_size=AT_ONCE):
        detail = json.dumps(each.detail, ensure_ascii=False) if each.detail else ""
        row = (each.at.isoformat(), each.who, each.action, each.subject, detail, each.address or "")
        yield csv_line(row)
