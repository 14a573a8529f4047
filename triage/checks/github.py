"""GitHub: whether it recognises the App, and whether its deliveries come in."""

from datetime import timedelta

from django.utils import timezone

from triage.checks.running import CheckResult, CheckState
from triage.checks.work import OLDEST_WAITING
from triage.models import HookPass, WebhookDelivery
from triage.publish.app import github_app
from triage.publish.github.app_api import read_app
from triage.publish.github.rights import EVENTS, PERMISSIONS

# It is looked through every hour; one pass may be refused.
OLDEST_HOOK_PASS = timedelta(hours=3)


def check_github() -> CheckResult:
    """Whether GitHub recognises the App, and it may do what it needs to."""
    app = github_app()
    if app is None:
        return CheckResult(
            "github", CheckState.OK, "no App is entered: verdicts are shown on our pages only"
        )
    source = "the environment" if app.is_from_environment else "the database"
    told = f"{app} at {app.api_url}, from {source}"
    rights = read_app(app.key)
    lacking = [
        f"{each.name}: {each.level}"
        for each in PERMISSIONS
        if not each.is_optional and not each.is_granted(rights.permissions)
    ] + [f"event {name}" for name in EVENTS if name not in rights.events]
    if lacking:
        remedy = "add them on the App's page, then accept them on each installation's"
        return CheckResult("github", CheckState.WARN, f"{told}, lacks {', '.join(lacking)}", remedy)
    return CheckResult("github", CheckState.OK, f"{told}; GitHub recognises it")


def check_webhooks() -> CheckResult:
    """Whether deliveries of GitHub are processed, and failed ones are asked for."""
    if github_app() is None:
        return CheckResult("webhooks", CheckState.OK, "none are awaited without an App")
    now = timezone.now()
    late = WebhookDelivery.objects.filter(
        processed_at__isnull=True, received_at__lt=now - OLDEST_WAITING
    ).count()
    is_looked_through = HookPass.objects.filter(until__gt=now - OLDEST_HOOK_PASS).exists()
    told = f"{late} deliveries wait for over ten minutes"
    if late:
        remedy = "their reason stands on /setup/github/; start a worker for the queue publish"
        return CheckResult("webhooks", CheckState.WARN, told, remedy)
    if not is_looked_through:
        told += "; failed ones were not asked for in the last three hours"
        remedy = "start beat (or tiebreak serve without a broker) and a worker for publish"
        return CheckResult("webhooks", CheckState.WARN, told, remedy)
    return CheckResult("webhooks", CheckState.OK, f"{told}; failed ones are asked for every hour")
