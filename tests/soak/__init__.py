"""Weeks of busy repositories in minutes, with faults; then everything is counted once more.

``python -m tests.soak [--days N] [--seed N]``, or ``make soak``.
"""
