"""A run and a world on the page of the network, and the command: what they show is what the record has."""

from __future__ import annotations

import webbrowser

import numpy as np
import pytest
from browser import Browser
from refusals import refused, refused_by_command

from hopfield_nav import load_world, plan_path, simulate
from hopfield_nav.cli import main
from hopfield_nav.extensions.network import describe_run, describe_world, has_plane, page_text
from hopfield_nav.extensions.viewer import describe_run as describe_view
from hopfield_nav.extensions.viewer import write_page
from hopfield_nav.figures.run.network import NetworkOfRun


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = Browser(tmp_path_factory.mktemp("browser"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def main_run():
    return simulate(load_world("ragazzon2012"))


def open_page(browser, folder, told, name):
    path = folder / f"{name}.html"
    path.write_text(page_text(told), encoding="utf-8")
    browser.open(path.as_uri())
    browser.wait("window.hopfield !== undefined")


def test_every_plan_of_the_main_experiment_has_the_network_of_the_record(
    browser, main_run, tmp_path
):
    open_page(browser, tmp_path, describe_run(main_run), "main")
    found = NetworkOfRun(main_run)
    for place, k in enumerate(found.known):
        browser.run(f"byId('plan').value = {place}, byId('plan').oninput()")
        logs = np.array(browser.run("hopfield.activation()"), float)
        expected = main_run.data.activation.values[k]
        np.testing.assert_array_equal(np.isfinite(logs), np.isfinite(expected))
        lit = np.isfinite(expected)
        assert np.abs(logs[lit] - expected[lit]).max() <= 1e-12
        np.testing.assert_array_equal(browser.run("hopfield.path()"), found.paths[k])
    assert browser.run("given.run.outlines.length") == len(main_run.world.obstacles)
    assert browser.faults() == []


def test_closed_steps_and_the_limit_network_are_those_of_the_record(browser, tmp_path):
    run = simulate(load_world("u_trap"))
    open_page(browser, tmp_path, describe_run(run), "trap")
    found = NetworkOfRun(run)
    for place in (0, 5, len(found.known) - 1):
        k = found.known[place]
        browser.run(f"byId('plan').value = {place}, byId('plan').oninput()")
        logs = np.array(browser.run("hopfield.activation()"), float)
        beta = browser.run("network.chosen.beta")
        expected = run.data.activation.values[k]
        lit = np.isfinite(expected)
        np.testing.assert_array_equal(np.isfinite(logs), lit)
        np.testing.assert_allclose(logs[lit] / np.log(beta), -expected[lit], atol=1e-9)


def test_the_page_of_a_run_opens_the_network_of_the_plan_that_is_followed(
    browser, main_run, tmp_path
):
    page = write_page(describe_view(main_run), tmp_path / "view.html")
    browser.open(page.as_uri())
    browser.wait("window.hopfieldView !== undefined")
    time = float(main_run.data.plan_time.values[9]) + 1e-3
    browser.run(f"hopfieldView.clock.seek({time})")
    browser.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    browser.run("window.open = (address) => { window.opened = address; }")
    browser.run("document.querySelector('.play-network').click()")
    address = browser.run("window.opened")
    assert address.endswith("#plan=9")
    browser.run(f"location.href = {address!r}")
    browser.wait("window.hopfield !== undefined")
    assert browser.run("hopfield.path()") == NetworkOfRun(main_run).paths[9].tolist()


def test_a_world_has_its_obstacles_as_walls(browser, tmp_path):
    told = describe_world(load_world("ragazzon2012"))
    (plan,) = told["plans"]
    walls = np.array(plan["walls"])
    inside = walls[(walls > 0).all(axis=1) & (walls < 19).all(axis=1)]
    assert len(inside) > 15
    assert told["goal"] == [17, 6]
    open_page(browser, tmp_path, told, "world")
    blocked = np.zeros(told["shape"], bool)
    blocked[tuple(walls.T)] = True
    expected = plan_path(blocked, plan["start"], told["goal"], "sum", 0.1)
    assert browser.run("hopfield.reason()") == expected.reason
    assert browser.run("byId('plan-choice').hidden && !byId('touches').hidden")
    browser.run("byId('lessons').children[1].click()")
    assert browser.run("byId('touches').hidden && byId('of').textContent === ''")
    browser.run("byId('lessons').children[0].click()")
    assert browser.run("byId('lessons').children[0].textContent") == "ragazzon2012"
    assert browser.run("byId('of').textContent") == told["title"]
    assert browser.run("network.chosen.size") == told["shape"]


@pytest.mark.parametrize("name", ["over_the_wall", "whole_arm"])
def test_a_map_that_is_no_plane_of_the_tool_is_refused(name):
    world = load_world(name)
    assert not has_plane(world)
    with refused("map: no page of such a map"):
        describe_world(world)


def test_a_record_without_networks_is_refused():
    run = simulate(load_world("empty", ["time_limit=0.1", "record.network=false"]))
    with refused("record.network: no network in this record"):
        describe_run(run)


@pytest.fixture
def opened(monkeypatch):
    """Addresses that would have been opened in a browser."""
    addresses = []
    monkeypatch.setattr(webbrowser, "open", lambda address: addresses.append(address) or True)
    return addresses


def test_the_command_writes_one_file_and_opens_it(opened, tmp_path, capsys):
    assert main(["network"]) == 0
    (path,) = capsys.readouterr().out.split()
    assert opened == [f"file://{path}"]
    assert main(["network", "ragazzon2012", "--html", str(tmp_path / "a.html")]) == 0
    assert len(opened) == 1
    assert "This is the map of the world ragazzon2012." in (tmp_path / "a.html").read_text()


def test_the_page_of_a_run_lies_in_its_folder(opened, tmp_path):
    run = simulate(load_world("empty", ["time_limit=0.1"])).save(tmp_path / "empty")
    assert main(["network", str(run)]) == 0
    assert opened == [(run / "network.html").as_uri()]


def test_what_is_no_world_and_no_run_is_refused(opened, tmp_path, capsys):
    refused_by_command(capsys, ["network", str(tmp_path)], "not the folder of a run")
    refused_by_command(capsys, ["network", "nowhere_at_all"], "nowhere_at_all")
    missing = str(tmp_path / "no" / "a.html")
    refused_by_command(capsys, ["network", "--html", missing], "no such folder")
    assert opened == []
