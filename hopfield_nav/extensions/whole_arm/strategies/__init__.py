"""What touches block on a map of joint angles: the strategies of a world, one a file.

Each is a ``plugin.Belief``: it is asked before every path, and what it answers is what the search goes by.
"""
