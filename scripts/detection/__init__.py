"""Comparison of detection methods on simulated contacts; ``scripts/compare_detectors.py`` runs it."""
