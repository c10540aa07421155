"""Measurements that hold the claims of kebria2016, a chapter a file; each ends in ``rows()``."""
