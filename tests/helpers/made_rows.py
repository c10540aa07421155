"""Rows of a sweep that nobody ran."""


def made_rows(sweep, time_of, reached=lambda job: True):
    """Rows of a sweep whose runs take a given time."""
    rows = []
    for job in map(sweep.job, range(sweep.count)):
        there = reached(job)
        row = {
            "index": job.index,
            "repeat": job.repeat,
            "seed": job.seed,
            **job.values,
            "error": None,
        }
        numbers = dict.fromkeys(sweep.kept, 0)
        outcome = {"outcome": "reached" if there else "no_path", "simulated_time_s": time_of(job)}
        rows.append({**row, **numbers, **outcome})
    return rows
