"""Doors for uploaders that teams have in CI already: one module per uploader, each to the pipeline.

They come after ``triage.api``: what they bring is taken in as if it had come through it.
"""
