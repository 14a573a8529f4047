"""The view of one upload: how far it has come, why it was set aside, and trying it again."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from triage import outbox
from triage.access.audit import note
from triage.dispatch import after_commit
from triage.models import Upload
from triage.terms import Role, UploadState
from triage.web.changing import may_change
from triage.web.guarding import guarded
from triage.web.presenters.imports import imported


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
