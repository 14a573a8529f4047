"""The view that shows what another policy would have made of past runs, before it is in force."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from triage.models import Repository
from triage.policy.stored import policy_in_force
from triage.terms import Role
from triage.verdict.policy_preview import preview_policy
from triage.web.forms.policy_preview import PolicyPreviewForm
from triage.web.guarding import guarded
from triage.web.pages.policy import idle_rules
from triage.web.presenters.preview_rows import preview_result

# Uploads to the repository wait for as long, and writers on SQLite give up after thirty.
MOST_SECONDS = 20.0
NO_POLICY = "version: 1\n"


@require_http_methods(["GET", "HEAD", "POST"])
@guarded(Repository, read=Role.ADMIN)
def policy_preview(request: HttpRequest, repository: Repository) -> HttpResponse:
    """Show the form with the policy in force; POST judges past runs by what was pasted.

    Nothing is stored and nobody is told, whatever the pasted policy says.
    """
    in_force = policy_in_force(repository.pk)
    shown = {"repository": repository, "in_force": in_force}
    if request.method != "POST":
        form = PolicyPreviewForm(initial={"policy": in_force.text or NO_POLICY})
        return render(request, "web/policy_preview.html", shown | {"form": form})
    form = PolicyPreviewForm(request.POST)
    if not form.is_valid():
        return render(request, "web/policy_preview.html", shown | {"form": form}, status=400)
    policy, errors = form.read()
    if policy is None:
        wrong = shown | {"form": form, "errors": errors}
        return render(request, "web/policy_preview.html", wrong, status=400)
    preview = preview_policy(repository, policy, form.cleaned_data["runs"], MOST_SECONDS)
    found = {
        "result": preview_result(preview),
        "is_same": policy.policy == in_force.policy,
        "idle": idle_rules(repository, policy.policy),
    }
    return render(request, "web/policy_preview.html", shown | {"form": form} | found)
