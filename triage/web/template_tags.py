"""Filters that every template may use."""

from django import template

register = template.Library()
