"""Measurements that hold the claims of ragazzon2012, a chapter a file; each ends in ``rows()``."""
