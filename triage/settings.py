"""Django's settings, all of them derived from the environment."""

from typing import Any

import dj_database_url
from celery.schedules import crontab

from triage.environment import read_environment, secret_key
from triage.error_reports import start_reporting
from triage.logs import FORMATTERS
from triage.mail_settings import mail_settings
from triage.paths import PACKAGE_DIR
from triage.storage_settings import upload_storage_settings

ENVIRONMENT = read_environment()

DEBUG = ENVIRONMENT.DEBUG
SECRET_KEY = secret_key(ENVIRONMENT)
ALLOWED_HOSTS = ENVIRONMENT.hosts
TIEBREAK_URL = ENVIRONMENT.TIEBREAK_URL
BROKER_URL = ENVIRONMENT.BROKER_URL
if ENVIRONMENT.SENTRY_DSN:
    start_reporting(ENVIRONMENT.SENTRY_DSN)
METRICS_TOKEN = ENVIRONMENT.METRICS_TOKEN
# What secrets in the database are encrypted with: the first one encrypts, all of them decrypt.
FIELD_KEYS = ENVIRONMENT.FIELD_KEYS
# The GitHub App, where the environment names it; read through triage.publish.app alone.
GITHUB_APP_ID = ENVIRONMENT.GITHUB_APP_ID
GITHUB_APP_SLUG = ENVIRONMENT.GITHUB_APP_SLUG
GITHUB_PRIVATE_KEY = ENVIRONMENT.GITHUB_PRIVATE_KEY
GITHUB_WEBHOOK_SECRET = ENVIRONMENT.GITHUB_WEBHOOK_SECRET
GITHUB_API_URL = ENVIRONMENT.GITHUB_API_URL
GITHUB_CLIENT_ID = ENVIRONMENT.GITHUB_CLIENT_ID
GITHUB_CLIENT_SECRET = ENVIRONMENT.GITHUB_CLIENT_SECRET
# Requests per minute and token; 0 counts none.
RATE_LIMIT_PER_MINUTE = ENVIRONMENT.RATE_LIMIT_PER_MINUTE
# Whose identity tokens let workflows upload: github.com's, and those of Enterprise Servers.
GITHUB_ID_TOKEN_ISSUERS = ENVIRONMENT.GITHUB_ID_TOKEN_ISSUERS

EMAIL_URL = ENVIRONMENT.EMAIL_URL
DEFAULT_FROM_EMAIL = ENVIRONMENT.EMAIL_FROM
globals().update(mail_settings(EMAIL_URL))
ALLOW_PRIVATE_WEBHOOKS = ENVIRONMENT.ALLOW_PRIVATE_WEBHOOKS
# Days for which data are kept; 0 keeps forever.
RETENTION_UPLOADS_DAYS = ENVIRONMENT.RETENTION_UPLOADS_DAYS
RETENTION_TEXTS_DAYS = ENVIRONMENT.RETENTION_TEXTS_DAYS
RETENTION_RESULTS_DAYS = ENVIRONMENT.RETENTION_RESULTS_DAYS
RETENTION_LEDGER_DAYS = ENVIRONMENT.RETENTION_LEDGER_DAYS
RETENTION_EVENTS_DAYS = ENVIRONMENT.RETENTION_EVENTS_DAYS
RETENTION_AUDIT_DAYS = ENVIRONMENT.RETENTION_AUDIT_DAYS

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth.account",
    "allauth.socialaccount",
    "budgets",
    "triage",
]
MIDDLEWARE = [
    "triage.web.access_log.access_log",
    "triage.api.error_shape.error_shape",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "triage.web.security.content_security_policy",
    "triage.web.refusing.refuse_zero_bytes",
]
CSRF_FAILURE_VIEW = "triage.web.refusing.refuse_form"
ROOT_URLCONF = "triage.urls"
WSGI_APPLICATION = "triage.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [PACKAGE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
            ],
            "builtins": ["triage.web.template_tags"],
        },
    }
]

# One writer at a time is SQLite's rule: taking the write lock at BEGIN turns a deadlock between
# two half-done transactions into an orderly queue.
SQLITE_OPTIONS: dict[str, Any] = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 30,
    "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA foreign_keys=ON;",
}
POSTGRESQL_OPTIONS: dict[str, Any] = {"pool": {"min_size": 1, "max_size": 8, "timeout": 10}}

DATABASES: dict[str, Any] = {"default": dj_database_url.parse(ENVIRONMENT.database_url)}
DATABASES["default"]["OPTIONS"] = (
    SQLITE_OPTIONS
    if DATABASES["default"]["ENGINE"].endswith("sqlite3")
    else POSTGRESQL_OPTIONS | DATABASES["default"].get("OPTIONS", {})
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "uploads": upload_storage_settings(
        ENVIRONMENT.STORAGE_URL, ENVIRONMENT.TIEBREAK_DATA_DIR / "uploads"
    ),
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

LOGIN_URL = "sign-in"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in (
        ("UserAttributeSimilarityValidator", {}),
        ("MinimumLengthValidator", {"min_length": 12}),
        ("CommonPasswordValidator", {}),
    )
]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = TIEBREAK_URL.startswith("https://")
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 14 * 24 * 3600

# Of allauth only the exchange with GitHub is used: it makes no accounts and has no pages here.
SOCIALACCOUNT_ADAPTER = "triage.web.github_signing_in.SignInAdapter"
SOCIALACCOUNT_STORE_TOKENS = False
SOCIALACCOUNT_QUERY_EMAIL = False
ACCOUNT_EMAIL_VERIFICATION = "none"

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"

# The upload door has limits of its own and answers in its own error shape.
DATA_UPLOAD_MAX_MEMORY_SIZE = None
DATA_UPLOAD_MAX_NUMBER_FILES = 2_000
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SILENCED_SYSTEM_CHECKS: list[str] = []

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"chosen": {"()": FORMATTERS[ENVIRONMENT.LOG_FORMAT]}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "chosen"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    # Django's own handlers would write the same once more, and unmasked.
    "loggers": {"triage": {"level": "INFO"}, "django": {"handlers": [], "level": "WARNING"}},
}

CELERY_BROKER_URL = BROKER_URL or None
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_DEFAULT_QUEUE = "ingest"
# A worker that is at it for longer would outlive its lease on an upload.
CELERY_TASK_SOFT_TIME_LIMIT = 240
CELERY_TASK_TIME_LIMIT = 270
SLOW_TASKS = (
    "triage.calibrate",
    "triage.calibrate_where_due",
    "triage.judge_waiting",
    "triage.prune",
)
# What talks to other people's servers can take long, and must not keep uploads waiting.
PUBLISHING_TASKS = (
    "triage.deliver",
    "triage.sweep_deliveries",
    "triage.publish",
    "triage.sweep_publications",
    "triage.act",
    "triage.sweep_actions",
    "triage.process_delivery",
    "triage.read_files",
    "triage.redeliver",
    "triage.mend_installations",
    "triage.renew_roles",
    "triage.sweep_webhooks",
)
CELERY_TASK_ROUTES = {task: {"queue": "publish"} for task in PUBLISHING_TASKS} | {
    task: {"queue": "slow"} for task in SLOW_TASKS
}
# A slow task may take an hour; the others must not be kept from ending by its limit.
CELERY_TASK_ANNOTATIONS = {
    task: {"soft_time_limit": 3_300, "time_limit": 3_600} for task in SLOW_TASKS
}
# The message that starts an upload's work is a hint; this is what keeps the promise.
SWEEP_SECONDS = 60.0
# Looked for hourly, done weekly per repository.
CALIBRATION_SECONDS = 3_600.0
# A forge wants seconds between two writes; what waits for its turn should not wait a minute.
PUBLISHING_SECONDS = 5.0
# What GitHub could not deliver, and what was missed with it.
REDELIVERY_SECONDS = 3_600.0
# When most of the world's CI rests, in UTC.
NIGHTLY = crontab(hour="3", minute="17")
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "triage.sweep", "schedule": SWEEP_SECONDS},
    "close-due-runs": {"task": "triage.close_due_runs", "schedule": SWEEP_SECONDS},
    "sweep-publications": {"task": "triage.sweep_publications", "schedule": PUBLISHING_SECONDS},
    "calibrate": {"task": "triage.calibrate_where_due", "schedule": CALIBRATION_SECONDS},
    "remind": {"task": "triage.remind", "schedule": SWEEP_SECONDS},
    "close-incidents": {"task": "triage.close_incidents", "schedule": SWEEP_SECONDS},
    "sweep-actions": {"task": "triage.sweep_actions", "schedule": SWEEP_SECONDS},
    "sweep-webhooks": {"task": "triage.sweep_webhooks", "schedule": SWEEP_SECONDS},
    "redeliver": {"task": "triage.redeliver", "schedule": REDELIVERY_SECONDS},
    "mend-installations": {
        "task": "triage.mend_installations",
        "schedule": REDELIVERY_SECONDS,
    },
    "renew-roles": {"task": "triage.renew_roles", "schedule": SWEEP_SECONDS},
    "sweep-deliveries": {"task": "triage.sweep_deliveries", "schedule": SWEEP_SECONDS},
    "prune": {"task": "triage.prune", "schedule": NIGHTLY},
    "end-expired-mutes": {"task": "triage.end_expired_mutes", "schedule": SWEEP_SECONDS},
}
