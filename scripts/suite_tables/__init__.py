"""What the tables of the suites are made of: columns and lines; ``bench_tables.py`` writes them."""
