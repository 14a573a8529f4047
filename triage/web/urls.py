"""Addresses of the pages."""

from django.urls import path

from triage.web import (
    audit_log,
    calibrating,
    client_file,
    documentation,
    downloading,
    escalating,
    health,
    members,
    metrics,
    muting,
    notifying,
    previewing,
    publishing,
    readme_badges,
    renaming,
    repository_settings,
    setting_up,
    signing_in,
    tokens,
    uploading,
    views,
)

urlpatterns = [
    path("", views.home, name="home"),
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
    path("docs/", documentation.index, name="docs"),
    path("docs/<slug:name>/", documentation.page, name="docs-page"),
    path("docs/images/<str:name>", documentation.image, name="docs-image"),
    path("client/", client_file.page, name="client"),
    path("tiebreak.py", client_file.download, name="client-file"),
    path("tiebreak.py.sha256", client_file.checksum, name="client-checksum"),
    path("sign-in/", signing_in.sign_in, name="sign-in"),
    path("sign-out/", signing_in.sign_out, name="sign-out"),
    path("invitations/<str:secret>/", signing_in.invitation, name="invitation"),
    path("repositories/<path:full_name>/policy/", views.policy, name="policy"),
    path(
        "repositories/<path:full_name>/policy/preview/",
        previewing.policy_preview,
        name="policy-preview",
    ),
    path("repositories/<path:full_name>/renames/", renaming.renames, name="renames"),
    path("escalations/<int:pk>/", escalating.escalation, name="escalation"),
    path("repositories/<path:full_name>/escalations/", escalating.inbox, name="escalations"),
    path("repositories/<path:full_name>/calibration/", calibrating.calibration, name="calibration"),
    path("repositories/<path:full_name>/budgets/", views.budgets, name="budgets"),
    path("repositories/<path:full_name>/cases/", views.cases, name="cases"),
    path(
        "repositories/<path:full_name>/tables/<slug:name>.<slug:kind>",
        downloading.table,
        name="table",
    ),
    path("repositories/<path:full_name>/badges/<slug:name>.svg", readme_badges.badge, name="badge"),
    path("r/<path:full_name>/", views.repository, name="repository"),
    path("runs/<int:pk>/", views.run, name="run"),
    path("runs/<int:pk>/compare/", views.comparison, name="comparison"),
    path("repositories/<path:full_name>/uploads/", uploading.uploads, name="uploads"),
    path("uploads/<uuid:pk>/", uploading.upload, name="upload"),
    path("cases/<int:pk>/", views.case, name="case"),
    path("cases/<int:pk>/mute/", muting.mute, name="mute"),
    path("cases/<int:pk>/unmute/", muting.unmute, name="unmute"),
    path("repositories/<path:full_name>/publishing/", publishing.publishing, name="publishing"),
    path("repositories/<path:full_name>/tokens/", tokens.tokens, name="tokens"),
    path(
        "repositories/<path:full_name>/tokens/<int:pk>/rotate/", tokens.rotate, name="rotate-token"
    ),
    path(
        "repositories/<path:full_name>/tokens/<int:pk>/revoke/", tokens.revoke, name="revoke-token"
    ),
    path(
        "repositories/<path:full_name>/settings/",
        repository_settings.repository_settings,
        name="repository-settings",
    ),
    path("repositories/<path:full_name>/settings/changes/", audit_log.audit_log, name="audit-log"),
    path(
        "repositories/<path:full_name>/settings/changes.csv", audit_log.audit_csv, name="audit-csv"
    ),
    path("repositories/<path:full_name>/settings/members/", members.members, name="members"),
    path(
        "repositories/<path:full_name>/settings/members/<int:pk>/role/",
        members.change_role,
        name="member-role",
    ),
    path(
        "repositories/<path:full_name>/settings/members/<int:pk>/remove/",
        members.remove,
        name="remove-member",
    ),
    path(
        "repositories/<path:full_name>/settings/invitations/<int:pk>/withdraw/",
        members.withdraw,
        name="withdraw-invitation",
    ),
    path("setup/github/", setting_up.github, name="github-setup"),
    path("setup/github/begin/", setting_up.begin_app, name="github-begin"),
    path("setup/github/made/", setting_up.app_made, name="github-made"),
    path("setup/github/enter/", setting_up.enter_app, name="github-enter"),
    path("setup/github/read/", setting_up.read_installations, name="github-read"),
    path("setup/github/trial/", setting_up.send_check, name="github-trial"),
    path(
        "repositories/<path:full_name>/notifications/",
        notifying.notifications,
        name="notifications",
    ),
    path(
        "repositories/<path:full_name>/notifications/channels/<int:pk>/test/",
        notifying.test,
        name="test-channel",
    ),
    path(
        "repositories/<path:full_name>/notifications/channels/<int:pk>/remove/",
        notifying.remove,
        name="remove-channel",
    ),
    path(
        "repositories/<path:full_name>/notifications/messages/<uuid:pk>/again/",
        notifying.again,
        name="send-again",
    ),
]
