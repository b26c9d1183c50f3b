"""Runs of the impact agent as documents: for a pull request, for a browser."""
