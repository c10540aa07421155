"""Measurements that hold the claims of nowoczyn2023, a chapter a file; each ends in ``rows()``."""
