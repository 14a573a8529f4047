"""Which address leads where."""

from django.urls import include, path

urlpatterns = [
    path("webhooks/", include("triage.webhooks.urls")),
    path("api/v1/", include("triage.api.urls")),
    path("", include("triage.web.urls")),
]
