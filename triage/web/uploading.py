"""The views of uploads: how far each has come, why it was set aside, and trying it again."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from triage import outbox
from triage.access.audit import note
from triage.dispatch import after_commit
from triage.models import Repository, Upload
from triage.terms import Role, UploadState
from triage.web.changing import may_change
from triage.web.guarding import guarded
from triage.web.pages.uploads import uploads_page
from triage.web.presenters.imports import imported


@require_safe
@guarded(Repository)
def uploads(request: HttpRequest, repository: Repository) -> HttpResponse:
    """Show the uploads of a repository, those of one state where it is asked for."""
    shown = {
        "page": uploads_page(repository, request.GET),
        "may_change": may_change(request, repository, Role.MEMBER),
        "address": settings.TIEBREAK_URL,
    }
    return render(request, "web/uploads.html", shown)


@require_http_methods(["GET", "HEAD", "POST"])
@guarded(Upload, "run", "part", "token", change=Role.MEMBER)
def upload(request: HttpRequest, shown: Upload) -> HttpResponse:
    """Show an upload; POST begins again with one that was set aside."""
    if request.method == "POST":
        _try_again(request, shown)
        return redirect("upload", pk=shown.pk)
    context = {
        "upload": shown,
        "imported": imported(shown),
        "most_tries": outbox.MOST_TRIES,
        "may_change": may_change(request, shown.repository, Role.MEMBER),
    }
    return render(request, "web/upload.html", context)


def _try_again(request: HttpRequest, upload: Upload) -> None:
    if upload.state == UploadState.DEAD:
        outbox.retry(upload)
        note(request, "upload_retried", upload.repository, str(upload.pk))
        after_commit(upload.pk)
