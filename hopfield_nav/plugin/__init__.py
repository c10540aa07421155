"""What a world file chooses: the signatures of methods, and the list of them.

A *method* is a function with the parameters it takes from the world file. What runs once per
control period is a plain Python function that Numba can compile, of one fixed signature a kind:

``controller``  kernel(model, sensed, parameters, memory, work, tau) -> status
    writes the torque (n,) [N·m] for the next control period to ``tau``.
``estimator``   kernel(model, sensed, parameters, memory, work, tau_external, wrench) -> status
    writes its belief of J^T F (n,) [N·m] and of the tool wrench F (6,) [N, N·m].
``detector``    kernel(model, sensed, parameters, memory, work, tau_external, wrench) -> level
    returns the alarm level as a share of its threshold: a collision is detected at level > 1.

``work`` holds scratch arrays; when a method is called, its frames (``turn``, ``rotation``,
``origin``, ``tool``) are those of the model at the measured joint angles. ``model`` is the
controller's own model of the arm (an ``Arm``), ``sensed`` a ``Sensed`` record: the plant's true
state is not among the arguments. ``parameters`` is one float64 array, packed in the order of the
method's declaration, whose ``unpacker`` gives them by name; ``memory`` is a float64 array that
keeps its content between periods, zero at the start and after each reset. ``status`` is 0, or
``DAMPED`` where an estimate was damped near a singularity. A method never raises; one that makes no
array is faster.

What a world file chooses once per touch is plain Python. Here the kernel is a class (or a function)
that is called once a run with the parameters by name, and gives an object:

``planner``   a ``Planner``: from a map with what is believed on it to a path
``response``  a ``Response``: from what is known of a touch to the next motion
``belief``    a ``Belief``: from what was felt to what is blocked or dear on a map of joint angles
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
