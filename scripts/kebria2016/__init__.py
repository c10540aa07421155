"""Chapters of the reproduction of kebria2016."""
