"""Strict mode: constraints of RT2 that GE asks for and does not check; each is a check with a sentence (seed 002, 7).

violation.py  the error that all of them raise
device.py     StrictDevice: sees who waits, who allocates, and which task reads host memory
lowering.py   a lowering leaves the compute graph as it is
order.py      the order of creation is not the order of execution
process.py    StrictProcess: a process in which all of this holds
executor.py   StrictExecutor: same stream and allocator or a synchronise between, no allocation while running
"""
