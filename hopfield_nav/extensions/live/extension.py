"""What this extension adds to the program."""

from hopfield_nav.plugin import Extension

EXTENSION = Extension(
    package=__package__,
    description="A UR arm over the network: a simulated one that is served, a real one that is watched.",
    needs=("isolation", "recordings", "viewer"),
    commands={
        "serve": "Tell a simulated run, or a recording, as a Universal Robots arm tells its state (RTDE, port 30004).",
        "watch": "Listen to a live arm (RTDE) and detect collisions as they come; it only receives.",
    },
    provides={"export_rtde": "source:export_rtde"},
)
