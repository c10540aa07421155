"""A storm of false alarms: a detector that takes the arm's own motion for contact, again and again.

Every alarm stops the arm, marks a cell and asks for a new plan, so that such a run takes longer to
compute than others and ends nowhere.
"""

from typing import Any

from hopfield_nav.world import World, show

FEW = 3  # false alarms that are no storm yet
MOMENT = 2.0  # [s] from the start, in which a storm shows itself
_RATE = 0.5  # [1/s] of false alarms over all of a run, from which they are a storm


def storm_of(simulation: Any) -> str | None:
    """What is said of the false alarms of a ``Simulation`` so far; None where they are no storm."""
    count = sum(detection.false_alarm for detection in simulation.detections)
    if count < FEW or count < _RATE * simulation.time:
        return None
    many = f"{count} false alarms in {simulation.time:.3g} s"
    return f"{many}: {_blamed(simulation.world)} is below what the arm's own motion gives"


def look_for_storm(simulation: Any) -> str | None:
    """Let a ``Simulation`` go on for a moment, and say what ``storm_of`` says then."""
    simulation.step(MOMENT)
    return storm_of(simulation)


def _blamed(world: World) -> str:
    """The key that a storm is blamed on, with its value."""
    threshold = world.detection.parameters.get("threshold")
    if threshold is None:
        return f"what detection.measure={world.detection.measure} takes for contact"
    return f"detection.threshold={show(threshold)}"
