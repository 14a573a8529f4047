"""Which address leads where."""

from django.urls import include, path

urlpatterns = [
    path("webhooks/", include("triage.webhooks.urls")),
    # Before the API, whose own answer for what is not there takes every address below it.
    path("", include("triage.doors.urls")),
    path("api/v1/", include("triage.api.urls")),
    path("", include("triage.web.urls")),
]
