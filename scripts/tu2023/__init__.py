"""Chapters of the reproduction of tu2023."""
