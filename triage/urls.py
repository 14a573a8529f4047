"""Which address leads where."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
