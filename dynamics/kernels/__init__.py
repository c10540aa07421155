"""What compiles the kernels of both packages, and what kernels are written with.

It owns the decorators, the folder of compiled code, calls from Python, and records of numbers. Of
``dynamics`` it uses the errors and the one function that removes a folder, and nothing else;
everybody may import from its files.
"""
