"""What this extension adds to the program."""

from hopfield_nav.plugin import Extension

EXTENSION = Extension(
    package=__package__,
    description="The arm learns its own masses, friction and gears.",
    provides={"controller.learn": "learner:Learner", "learnt_arm": "learner:learnt_arm"},
)
