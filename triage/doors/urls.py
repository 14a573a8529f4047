"""The addresses that uploaders of other services expect."""

from django.urls import re_path

from triage.doors import buildkite, codecov, datadog

SERVICE = r"upload/[\w-]+/(?P<slug>[\w.:-]+)/commits"

urlpatterns = [
    re_path(r"^upload/test_results/v1/?$", codecov.announce, name="codecov"),
    re_path(
        r"^upload/test_results/v1/files/(?P<signed>[\w:.-]+)/?$",
        codecov.bring,
        name="codecov-files",
    ),
    re_path(rf"^{SERVICE}/?$", codecov.note_commit),
    re_path(
        rf"^{SERVICE}/(?P<sha>[0-9a-f]+)/(?:upload-complete|empty-upload)/?$", codecov.complete
    ),
    re_path(r"^v1/uploads/?$", buildkite.upload, name="buildkite"),
    re_path(r"^api/v2/cireport/?$", datadog.upload, name="datadog"),
    re_path(r"^api/v2/git/repository/search_commits/?$", datadog.search_commits),
    re_path(r"^api/v1/validate/?$", datadog.validate),
]
