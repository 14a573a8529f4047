"""Measurements, run by hand with make bench: none of them is a test."""
