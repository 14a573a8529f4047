"""What is known of GitHub: the App, where it is installed, its repositories and pull requests."""

from django.db import models
from django.utils import timezone

from triage.models.repositories import FULL_NAME_LENGTH, Repository


class GitHubApp(models.Model):
    """The App of this installation of the product. Its secrets are stored sealed."""

    app_id = models.PositiveBigIntegerField(unique=True)
    slug = models.CharField(max_length=100)
    client_id = models.CharField(max_length=100, blank=True, default="")
    # Where its API and its pages are: github.com, or an Enterprise Server.
    api_url = models.URLField(default="https://api.github.com")
    html_url = models.URLField(default="https://github.com")
    sealed_private_key = models.TextField()
    sealed_webhook_secret = models.TextField()
    sealed_client_secret = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.slug} ({self.app_id})"


class Installation(models.Model):
    """An account that installed the App."""

    # GitHub's number of it.
    github_id = models.PositiveBigIntegerField(unique=True)
    account = models.CharField(max_length=FULL_NAME_LENGTH)
    suspended_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)
    # When GitHub last changed it, as the newest delivery told: deliveries come in any order.
    told_at = models.DateTimeField(null=True, blank=True)
    # GitHub asks for a pause between two writes; the next one may start then.
    next_write_at = models.DateTimeField(default=timezone.now)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.account} ({self.github_id})"

    @property
    def is_active(self) -> bool:
        """Whether anything may be published through it."""
        return self.suspended_at is None and self.removed_at is None


class GitHubRepository(models.Model):
    """A repository as GitHub knows it: found by number, since names change hands."""

    repository = models.OneToOneField(Repository, models.CASCADE, related_name="github")
    installation = models.ForeignKey(Installation, models.CASCADE, related_name="repositories")
    github_id = models.PositiveBigIntegerField(unique=True)
    # Taken out of the installation; nothing is published then.
    removed_at = models.DateTimeField(null=True, blank=True)
    # What GitHub calls it, where another repository here has that name; else empty.
    name_on_forge = models.CharField(max_length=FULL_NAME_LENGTH, blank=True, default="")

    def __str__(self) -> str:
        return str(self.repository)

    @property
    def full_name(self) -> str:
        """What GitHub calls it."""
        return self.name_on_forge or self.repository.full_name


class PullRequest(models.Model):
    """A pull request as the newest delivery told of it."""

    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="pull_requests", db_index=False
    )
    number = models.PositiveIntegerField()
    head_sha = models.CharField(max_length=64)
    base_sha = models.CharField(max_length=64, blank=True, default="")
    base_branch = models.CharField(max_length=255, blank=True, default="")
    # GitHub's number of the repository that the head lives in; another one is a fork.
    head_repository_id = models.PositiveBigIntegerField(null=True, blank=True)
    is_fork = models.BooleanField(default=False)
    is_open = models.BooleanField(default=True)
    # When GitHub last changed it: deliveries come in any order.
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "number"], name="pull_request_is_unique")
        ]
        indexes = [models.Index(fields=["repository", "head_sha"], name="pull_request_by_head")]

    def __str__(self) -> str:
        return f"{self.repository}#{self.number}"


class WebhookDelivery(models.Model):
    """A delivery as it came in, kept until it is processed and some time after."""

    # X-GitHub-Delivery; a redelivery keeps it.
    delivery_id = models.CharField(max_length=64, unique=True)
    event = models.CharField(max_length=64)
    action = models.CharField(max_length=64, blank=True, default="")
    body = models.JSONField()
    received_at = models.DateTimeField(default=timezone.now)
    processed_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    # Why the last try ended badly, for people.
    error = models.TextField(blank=True, default="")

    class Meta:
        indexes = [
            models.Index(
                fields=["received_at"],
                name="webhook_delivery_open",
                condition=models.Q(processed_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.action} {self.delivery_id}".strip()


class HookPass(models.Model):
    """Until when the deliveries of the App's hook were looked through for failed ones."""

    # GitHub's number of the App, which may be named by the environment and have no row.
    app_id = models.PositiveBigIntegerField(unique=True)
    until = models.DateTimeField()

    class Meta:
        verbose_name_plural = "hook passes"

    def __str__(self) -> str:
        return f"deliveries of App {self.app_id} until {self.until:%Y-%m-%d %H:%M}"
