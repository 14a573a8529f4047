"""Addresses that forges call."""

from django.urls import path

from triage.webhooks.views import github

urlpatterns = [path("github/", github, name="github-webhook")]
