"""The Django application of budgets and their ledger."""

from django.apps import AppConfig


class BudgetsConfig(AppConfig):
    """Registers the ledger's tables."""

    name = "budgets"
    default_auto_field = "django.db.models.BigAutoField"
