"""Measurements that hold the claims of tu2023, a chapter a file; each ends in ``rows()``."""
