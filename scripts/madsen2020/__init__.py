"""Chapters of the reproduction of madsen2020."""
