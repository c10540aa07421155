"""What this extension adds to the program."""

from hopfield_nav.plugin import Extension

EXTENSION = Extension(
    package=__package__,
    description="Recordings of real arms: methods on them, thresholds, causes of detections, identification.",
    commands={
        "replay": "Run a force estimator and a collision detector over a recording, by default the run's.",
        "tune": "Find the threshold for a wanted rate of false alarms, tell what it costs, write it as a world file.",
        "explain": "Say of detections in a log on which joint, how far above the threshold, "
        "and what could have done it.",
        "identify": "Identify an arm's dynamics from logs and write an arm file.",
    },
)
