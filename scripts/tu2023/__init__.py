"""Chapters of tu2023: each with rows of the ledger, figures, or both."""
