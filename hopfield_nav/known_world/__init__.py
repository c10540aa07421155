"""Planning where the surroundings are known: a plan that is free before the arm moves (nowoczyn2023).

Where to look, from the ground up:

* what can touch what: ``scene``, ``touching_pairs``, ``body_distance``, ``body_motion``
* checks: ``collision_check`` (a pose), ``motion_check`` (a straight motion), ``trajectory_check``;
  ``collision_library``, ``library_cells``, ``library_file``, ``relevant_joints`` (the document's grid)
* the tool on a line: ``straight_line``, ``layered_graph``, ``line_motion``, ``line_reasons``,
  ``shortest_path``; ``single_branch`` (how the real arm is suspected to move)
* the joints on a line: ``turns``, ``direct_path``; a way around: ``sampling``, ``ompl_checks``
* what a plan is made for and of: ``stations``, ``joint_positions``, ``task``, ``random_task``, ``way``,
  ``planning``, ``planned``
* time: ``timing``, ``legs``, ``line_rows``, ``path_speed``, ``smooth_time``, ``motion_limits``, ``pieces``
* files: ``plan_folder``, ``plan_file``, ``urscript``; ``dynamics.whole_file``
"""
