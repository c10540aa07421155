"""Sweeps that go on until they are decided: the same table however they were run."""

from __future__ import annotations

import pytest
from made_up_runs import NOISE, STIFFNESS, THRESHOLD, made_up_run
from refusals import refused

from hopfield_nav.cli.sweep_report import lines_beforehand, print_sweep
from hopfield_nav.record import read_netcdf
from hopfield_nav.sweeps import as_kept, execute, judge, make_sweep, pool, read_rows
from hopfield_nav.sweeps.settings import PEAK

AT_MOST = 600


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Runs that take no time, in this process."""
    monkeypatch.setattr("hopfield_nav.sweeps.run.run_job", made_up_run)
    monkeypatch.setattr("hopfield_nav.sweeps.run.warm_up", lambda sweep: None)


def asked(at_most=AT_MOST, values=(12, 13, 20), repeats=3, **others):
    given = {"set": NOISE, "aim": {"least": PEAK, "while": {"reached": ">= 0.9"}}} | others
    return make_sweep("u_trap", {THRESHOLD: list(values)}, repeats=repeats, **given).until_decided(
        at_most
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The table of a sweep that nobody interrupted."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("hopfield_nav.sweeps.run.run_job", made_up_run)
        patched.setattr("hopfield_nav.sweeps.run.warm_up", lambda sweep: None)
        folder = execute(asked(), tmp_path_factory.mktemp("whole") / "s", workers=0)
    return (folder / "sweep.csv").read_bytes()


def test_seeds_are_added_until_it_is_decided_and_none_to_what_is_hopeless(whole, tmp_path, capsys):
    folder = execute(asked(), tmp_path / "out", workers=0)
    kept = as_kept(asked(), folder)
    rows = read_rows(folder, kept)
    judged = judge(kept, rows)
    assert judged.stage.verdict.decided
    seeds = dict(zip((12, 13, 20), judged.stage.judged.tolist(), strict=True))
    assert seeds[20] < seeds[12] < AT_MOST
    assert len(rows) == sum(seeds.values()) < AT_MOST
    assert judged.best[0].result.label == ("12",)
    print_sweep(kept, rows, folder)
    out = " ".join(capsys.readouterr().out.split())
    assert "decided: ★ is the best, or equal to it" in out
    assert f"{len(rows)} runs, {seeds[20]} to {seeds[12]} seeds a setting" in out
    data = read_netcdf(folder / "sweep.nc")
    assert data.sizes["repeat"] == seeds[12]
    assert data.attrs["best_run"] == 0


def test_a_budget_that_is_spent_leaves_it_undecided_and_says_what_it_would_take(tmp_path, capsys):
    folder = execute(asked(at_most=60), tmp_path / "out", workers=0)
    kept = as_kept(asked(at_most=60), folder)
    rows = read_rows(folder, kept)
    assert 50 < len(rows) <= 60
    print_sweep(kept, rows, folder)
    out = " ".join(capsys.readouterr().out.split())
    assert "not decided: " in out
    assert "1 setting waits for runs of ★ alone: reached >= 0.9; about " in out
    (line,) = lines_beforehand(kept)
    assert "for a share of 0.9, if all runs arrive" in line


@pytest.mark.parametrize("kept", [0, 1, 5, 40, 90, 10_000])
def test_a_sweep_that_was_killed_goes_on_to_the_same_table(whole, tmp_path, monkeypatch, kept):
    """After any number of rows, the last of which may be torn."""
    made = []

    def killed(sweep, index, folder=None):
        if len(made) == kept:
            raise KeyboardInterrupt
        made.append(index)
        return made_up_run(sweep, index)

    with monkeypatch.context() as patched:
        patched.setattr("hopfield_nav.sweeps.run.run_job", killed)
        if kept < 10_000:
            with pytest.raises(KeyboardInterrupt):
                execute(asked(), tmp_path / "out", workers=0)
            with (tmp_path / "out" / "sweep.csv").open("ab") as table:
                table.write(b"17,3,3," if kept else b"index,rep")
        else:
            execute(asked(), tmp_path / "out", workers=0)
    folder = execute(asked(), tmp_path / "out", workers=0, resume=True)
    assert (folder / "sweep.csv").read_bytes() == whole


def test_rows_of_a_sweep_with_fixed_repeats_are_taken_up(whole, tmp_path):
    fixed = make_sweep("u_trap", {THRESHOLD: [12, 13, 20]}, repeats=3, set=NOISE)
    folder = execute(fixed, tmp_path / "out", workers=0)
    execute(asked(), folder, workers=0, resume=True)
    assert (folder / "sweep.csv").read_bytes() == whole
    execute(fixed, folder, workers=0, resume=True)  # which asks for no more
    assert (folder / "sweep.csv").read_bytes() == whole


def test_a_larger_budget_goes_on_where_the_smaller_one_ended(whole, tmp_path):
    folder = execute(asked(at_most=50), tmp_path / "out", workers=0)
    assert len(read_rows(folder)) <= 50
    execute(asked(), folder, workers=0, resume=True)
    assert (folder / "sweep.csv").read_bytes() == whole


@pytest.mark.parametrize("workers", [1, 2])
def test_processes_give_the_same_table(whole, tmp_path, monkeypatch, workers):
    def of_made_up_runs(sweep, count, folder=None):
        return pool.Pool(sweep, count, folder, work=made_up_run)

    monkeypatch.setattr("hopfield_nav.sweeps.run.Pool", of_made_up_runs)
    folder = execute(asked(), tmp_path / "out", workers=workers)
    assert (folder / "sweep.csv").read_bytes() == whole


def test_where_nothing_is_random_one_run_of_each_setting_decides(tmp_path, capsys):
    still = make_sweep("u_trap", {THRESHOLD: [12, 20]}).until_decided(100)
    folder = execute(still, tmp_path / "out", workers=0)
    rows = read_rows(folder, as_kept(still, folder))
    assert len(rows) == 2
    print_sweep(as_kept(still, folder), rows, folder)
    assert "decided: nothing in these runs is random" in " ".join(capsys.readouterr().out.split())


SEED = "obstacles.0.random_cylinders.seed"
REFUSED = [
    (lambda: asked(at_most=2), "--at-most: fewer runs than settings; found 2; allowed: 3 or more"),
    (
        lambda: make_sweep("random_cylinders", {SEED: [1, 2]}).until_decided(None),
        f"--until-decided: seeds are swept.*found '{SEED}'",
    ),
    (
        lambda: asked(aim={"least": PEAK, "while": {"collision_count": ">= 0.5 least"}}),
        "cannot be decided; found '>= 0.5 least'; allowed: '<= 1.1 least', or a number",
    ),
    (
        lambda: asked(aim={"least": PEAK, "equal": {"forces": 0.1}}),
        "aim.equal.forces: unknown key.*Did you mean 'force'",
    ),
    (lambda: asked(aim={"least": PEAK, "equal": {"force": 0}}), "aim.equal.force"),
]


@pytest.mark.parametrize(("ask", "words"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_decided_is_refused_in_a_line(ask, words):
    with refused(words):
        ask()


def test_grown_values_keep_the_rows_that_stand(tmp_path):
    folder = execute(asked(values=(12, 20)), tmp_path / "out", workers=0)
    before = {(row[THRESHOLD], row["seed"]) for row in read_rows(folder)}
    grown = asked(values=(12, 13, 20))
    execute(grown, folder, workers=0, resume=True)
    kept = as_kept(grown, folder)
    rows = read_rows(folder, kept)
    assert before <= {(row[THRESHOLD], row["seed"]) for row in rows}
    assert judge(kept, rows).stage.verdict.decided


def test_a_second_axis_has_neighbours(tmp_path):
    grid = make_sweep("u_trap", {THRESHOLD: [11, 12, 13], STIFFNESS: [1e4, 1e5]}, set=NOISE)
    assert (
        "for equal shares, within 0.1, if all runs arrive"
        in lines_beforehand(grid.until_decided(1000))[0]
    )
    folder = execute(grid.until_decided(1000), tmp_path / "out", workers=0)
    kept = as_kept(grid.until_decided(1000), folder)
    judged = judge(kept, read_rows(folder, kept))
    assert judged.best[0].result.label[0] == "12"
