"""ONNX models as compute graphs: the register of GE's plugins, what each makes of its operator, graphs and branches.

element_types.py    ONNX's numbers of types, and GE's
registered.py       which operators are taken, in which versions (data)
opsets.py           choosing the plugin for a version; what is refused, what is warned of
pieces.py           the small graph that one operator becomes, while it is written
results.py          what is known of the results of an operator of Ascend
direct.py           operators that become one operator (data)
elementwise.py, arranging.py, reducing.py, drawing.py, matrices.py, pooling.py, sampling.py   those that become several
rules.py            all of these, by name
weaving.py          nodes and edges of one graph, its inputs, constants and results
branches.py         If: values that a branch takes from outside
model.py            one file to one compute graph
"""
