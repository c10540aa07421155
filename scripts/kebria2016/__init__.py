"""Chapters of kebria2016: each with rows of the ledger, figures, or both."""
