"""An arm with more joints than a world may have is refused at the key that names it."""

from __future__ import annotations

import numpy as np
from made_up_arms import random_arm
from refusals import refused

from dynamics.files import write_arm
from hopfield_nav.world import parse_world


def test_it_is_the_arm_that_is_refused_and_no_key_that_nobody_gave(tmp_path):
    for n, good in ((16, True), (17, False)):
        write_arm(random_arm(n), tmp_path / f"arm{n}.yaml", "long", "made up")
        text = f"format: 1\narm: arm{n}.yaml\nmap: {{space: joints}}\n"
        if good:
            world = parse_world(text, folder=tmp_path)
            assert np.size(world.start.joints) == n
        else:
            with refused("line 2: arm: .*too many moving joints; found 17; allowed: .*16"):
                parse_world(text, folder=tmp_path)
