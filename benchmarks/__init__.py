"""treevote and UDPipe 1 side by side, in one run on one machine: CPU time, memory, size and accuracy of whole commands.

Not a part of the package. ``python -m benchmarks --help``.
"""
