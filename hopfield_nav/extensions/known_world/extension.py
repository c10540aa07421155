"""What this extension adds to the program."""

from hopfield_nav.plugin import Extension

EXTENSION = Extension(
    package=__package__,
    description="A path past known obstacles, proven free before the arm moves, as a timed motion.",
    needs=("clearance",),
    commands={
        "plan": "Plan a motion past known obstacles: free for certain before the arm moves.",
        "demo": "From one random pose to another, again and again: the straight line, or else the direct path.",
    },
    provides={"plan_world": "planned:plan_world", "load_motion": "robot_program:load_motion"},
)
