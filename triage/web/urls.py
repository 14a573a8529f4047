"""Addresses of the pages."""

from django.urls import path

from triage.web import views

urlpatterns = [
    path("", views.home, name="home"),
    path("r/<path:full_name>/budgets/", views.budgets, name="budgets"),
    path("r/<path:full_name>/", views.repository, name="repository"),
    path("runs/<int:pk>/", views.run, name="run"),
    path("cases/<int:pk>/", views.case, name="case"),
]
