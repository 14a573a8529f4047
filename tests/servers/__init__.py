"""Throwaway servers for the tests: found on the machine or in a wheel, gone when the run ends."""
