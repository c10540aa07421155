"""Hello world: run the main experiment, print how it ended, draw where the tool went."""

import matplotlib.pyplot as plt

from hopfield_nav import load_world, simulate

run = simulate(load_world("ragazzon2012"), seed=0)
print(
    f"{run.outcome} after {run.summary['simulated_time_s']:.1f} s, {len(run.data.event)} collisions"
)
plt.plot(*run.data.tool_position[:, :2].T)
plt.show()
