#!/usr/bin/env python3
"""Makes the models that the tests load. Needs the Python packages onnx and numpy.

usage: make_test_models.py OUTPUT_DIR     (src/test/resources/models)
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

OUT = sys.argv[1]
vi = h.make_tensor_value_info


def put(name, nodes, inputs, outputs, initializers=(), opset=17):
    graph = h.make_graph(nodes, name, inputs, outputs, list(initializers))
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", opset)])
    model.ir_version = 9
    if all(info.type.tensor_type.HasField("shape") for info in [*inputs, *outputs]):
        onnx.checker.check_model(model)  # which wants the shapes
    os.makedirs(OUT, exist_ok=True)
    onnx.save(model, os.path.join(OUT, name + ".onnx"))


# Two INT32 rows in, their sum and difference out; the rows of a batch have one name.
put("simple",
    [h.make_node("Add", ["INPUT0", "INPUT1"], ["OUTPUT0"]),
     h.make_node("Sub", ["INPUT0", "INPUT1"], ["OUTPUT1"])],
    [vi("INPUT0", T.INT32, ["batch", 16]), vi("INPUT1", T.INT32, ["batch", 16])],
    [vi("OUTPUT0", T.INT32, ["batch", 16]), vi("OUTPUT1", T.INT32, ["batch", 16])])

# Every type, passed through: rank 1, any length, one name.
TYPES = [("BOOL", T.BOOL), ("UINT8", T.UINT8), ("UINT16", T.UINT16), ("UINT32", T.UINT32),
         ("UINT64", T.UINT64), ("INT8", T.INT8), ("INT16", T.INT16), ("INT32", T.INT32),
         ("INT64", T.INT64), ("FP16", T.FLOAT16), ("FP32", T.FLOAT), ("FP64", T.DOUBLE),
         ("BYTES", T.STRING), ("BF16", T.BFLOAT16)]
for name, t in TYPES:
    put("identity_" + name.lower(),
        [h.make_node("Identity", ["IN"], ["OUT"])],
        [vi("IN", t, ["n"])], [vi("OUT", t, ["n"])])

# Strings in rows of two.
put("strings_batch",
    [h.make_node("Identity", ["IN"], ["OUT"])],
    [vi("IN", T.STRING, ["batch", 2])], [vi("OUT", T.STRING, ["batch", 2])])

# An output whose shape depends on the values.
put("nonzero",
    [h.make_node("NonZero", ["IN"], ["OUT"])],
    [vi("IN", T.FLOAT, ["n"])], [vi("OUT", T.INT64, [1, "found"])])

# Scalars in and out.
put("scalar",
    [h.make_node("Neg", ["IN"], ["OUT"])],
    [vi("IN", T.FLOAT, [])], [vi("OUT", T.FLOAT, [])])

# Fixed dimensions in front: cannot batch.
put("fixed",
    [h.make_node("Neg", ["IN"], ["OUT"])],
    [vi("IN", T.FLOAT, [1, 4])], [vi("OUT", T.FLOAT, [1, 4])])

# One value per row, so that no dimension is left without the batch dimension.
put("row_scalar",
    [h.make_node("Neg", ["IN"], ["OUT"])],
    [vi("IN", T.FLOAT, ["batch"])], [vi("OUT", T.FLOAT, ["batch"])])

# An input with a default value, which a request may leave out.
put("optional",
    [h.make_node("Add", ["IN", "BIAS"], ["OUT"])],
    [vi("IN", T.FLOAT, [4]), vi("BIAS", T.FLOAT, [4])], [vi("OUT", T.FLOAT, [4])],
    [nh.from_array(np.full(4, 10, np.float32), "BIAS")])

# The output dimension wrongly has the input dimension's name. ONNX Runtime only warns.
put("liar",
    [h.make_node("NonZero", ["IN"], ["OUT"])],
    [vi("IN", T.FLOAT, ["n"])], [vi("OUT", T.INT64, [1, "n"])])

# The same in a batch: padding behind the longest row is cut off.
put("trim",
    [h.make_node("ReduceMax", ["LENGTH"], ["LONGEST"], keepdims=0),
     h.make_node("Reshape", ["LONGEST", "ONE"], ["END"]),
     h.make_node("Slice", ["IN", "ZERO", "END", "ONE"], ["OUT"])],
    [vi("IN", T.FLOAT, ["batch", "n"]), vi("LENGTH", T.INT64, ["batch", 1])],
    [vi("OUT", T.FLOAT, ["batch", "n"])],
    [nh.from_array(np.array([0], np.int64), "ZERO"), nh.from_array(np.array([1], np.int64), "ONE")])

# Where a value is not 0, a row each: fewer or more than a request has.
put("selected_rows",
    [h.make_node("NonZero", ["IN"], ["FOUND"]),
     h.make_node("Transpose", ["FOUND"], ["OUT"], perm=[1, 0])],
    [vi("IN", T.FLOAT, ["batch", 2])], [vi("OUT", T.INT64, ["found", 2])])

# Other shapes than those of the file, as converters write them: one label for any number of rows (onnxmltools), a
# dimension less than there is (CatBoost), one target where there are two (skl2onnx). The reshape, to the same shape,
# keeps ONNX Runtime from finding that out.
put("wrong_label",
    [h.make_node("ArgMax", ["IN"], ["OUT"], axis=1, keepdims=0)],
    [vi("IN", T.FLOAT, [None, 2])], [vi("OUT", T.INT64, [1])])


def put_hidden(name, node, rank, inputs, outputs, initializers=()):
    put(name,
        [node,
         h.make_node("Shape", ["VALUE"], ["SHAPE"]),
         h.make_node("Compress", ["SHAPE", "ALL"], ["SAME"], axis=0),
         h.make_node("Reshape", ["VALUE", "SAME"], ["OUT"])],
        inputs, outputs,
        [*initializers, nh.from_array(np.array([True] * rank, bool), "ALL")])


put_hidden("wrong_rank", h.make_node("ReduceSum", ["IN", "ONE"], ["VALUE"], keepdims=1), 2,
           [vi("IN", T.FLOAT, ["batch", 2])], [vi("OUT", T.FLOAT, ["N"])],
           [nh.from_array(np.array([1], np.int64), "ONE")])
put_hidden("wrong_targets", h.make_node("Neg", ["IN"], ["VALUE"]), 2,
           [vi("IN", T.FLOAT, [None, 2])], [vi("OUT", T.FLOAT, [None, 1])])
put_hidden("wrong_rows", h.make_node("Neg", ["IN"], ["VALUE"]), 2,
           [vi("IN", T.FLOAT, ["batch", 2]), vi("OTHER", T.FLOAT, ["batch", "n"])], [vi("OUT", T.FLOAT, ["n", 2])])
put_hidden("wrong_scalar", h.make_node("ReduceSum", ["IN"], ["VALUE"], keepdims=0), 0,
           [vi("IN", T.FLOAT, ["n"])], [vi("OUT", T.FLOAT, [3])])

# A dimension of 0.
put("zero",
    [h.make_node("Neg", ["IN"], ["OUT"])],
    [vi("IN", T.FLOAT, [0, 2])], [vi("OUT", T.FLOAT, [0, 2])])

# No rank in the file.
put("any_rank",
    [h.make_node("Reshape", ["IN", "SHAPE"], ["OUT"])],
    [vi("IN", T.FLOAT, None), vi("SHAPE", T.INT64, ["rank"])], [vi("OUT", T.FLOAT, None)])
put_hidden("any_rank_batch", h.make_node("Neg", ["IN"], ["VALUE"]), 2,
           [vi("IN", T.FLOAT, ["batch", 2])], [vi("OUT", T.FLOAT, None)])

# An output that is a list of tensors.
graph = h.make_graph(
    [h.make_node("SequenceConstruct", ["IN"], ["OUT"])], "sequence",
    [vi("IN", T.FLOAT, ["n"])],
    [h.make_tensor_sequence_value_info("OUT", T.FLOAT, None)])
sequence = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)])
sequence.ir_version = 9
onnx.checker.check_model(sequence)
onnx.save(sequence, os.path.join(OUT, "sequence.onnx"))

# A loop with one matrix product per step: takes long, and can be terminated.
body = h.make_graph(
    [h.make_node("MatMul", ["state_in", "W"], ["state_out"]),
     h.make_node("Identity", ["going_in"], ["going_out"])],
    "body",
    [vi("i", T.INT64, []), vi("going_in", T.BOOL, []), vi("state_in", T.FLOAT, [64, 64])],
    [vi("going_out", T.BOOL, []), vi("state_out", T.FLOAT, [64, 64])],
    [nh.from_array(np.eye(64, dtype=np.float32), "W")])
put("loop",
    [h.make_node("Squeeze", ["STEPS", "zero"], ["steps"]),
     h.make_node("Loop", ["steps", "true", "start"], ["end"], body=body),
     h.make_node("ReduceSum", ["end"], ["OUT"], keepdims=0)],
    [vi("STEPS", T.INT64, [1])], [vi("OUT", T.FLOAT, [])],
    [nh.from_array(np.array([0], np.int64), "zero"),
     nh.from_array(np.array(True), "true"),
     nh.from_array(np.eye(64, dtype=np.float32), "start")])

# Sums the rows of a sequence in a state, from zero at its start; outputs the sequence's id.
put("accumulate",
    [h.make_node("Sub", ["one", "START"], ["going_on"]),
     h.make_node("Mul", ["STATE_IN", "going_on"], ["kept"]),
     h.make_node("Add", ["IN", "kept"], ["STATE_OUT"]),
     h.make_node("Neg", ["STATE_OUT"], ["OUT"]),
     h.make_node("Identity", ["ID"], ["ID_OUT"])],
    [vi("IN", T.INT32, ["batch", 1]), vi("START", T.INT32, ["batch", 1]),
     vi("ID", T.UINT64, ["batch", 1]), vi("STATE_IN", T.INT32, ["batch", 1])],
    [vi("OUT", T.INT32, ["batch", 1]), vi("ID_OUT", T.UINT64, ["batch", 1]),
     vi("STATE_OUT", T.INT32, ["batch", 1])],
    [nh.from_array(np.array([1], np.int32), "one")])

# Outputs the strings of the previous request.
put("remember",
    [h.make_node("Identity", ["STATE_IN"], ["OUT"]),
     h.make_node("Identity", ["IN"], ["STATE_OUT"])],
    [vi("IN", T.STRING, ["batch", 2]), vi("STATE_IN", T.STRING, ["batch", 2])],
    [vi("OUT", T.STRING, ["batch", 2]), vi("STATE_OUT", T.STRING, ["batch", 2])])

# A state that grows with each request, without a batch dimension.
put("append",
    [h.make_node("Concat", ["STATE_IN", "IN"], ["STATE_OUT"], axis=0)],
    [vi("IN", T.FLOAT, ["new"]), vi("STATE_IN", T.FLOAT, ["old"])],
    [vi("STATE_OUT", T.FLOAT, ["all"])])

# Requests of any size with computed batch inputs: outputs the sum of each
# request and its negated elements.
put("ragged",
    [h.make_node("Pad", ["IN", "in_front"], ["after_zero"]),
     h.make_node("CumSum", ["after_zero", "axis"], ["running"]),
     h.make_node("Gather", ["running", "BOUNDS"], ["at_bounds"]),
     h.make_node("Slice", ["at_bounds", "first", "last"], ["begins"]),
     h.make_node("Slice", ["at_bounds", "second", "end"], ["ends"]),
     h.make_node("Sub", ["ends", "begins"], ["sums"]),
     h.make_node("Unsqueeze", ["sums", "second"], ["SUM"]),
     h.make_node("Neg", ["IN"], ["NEGATED"]),
     h.make_node("Unsqueeze", ["COUNT", "second"], ["COUNT_OUT"]),
     h.make_node("Identity", ["ITEMS"], ["ITEMS_OUT"]),
     h.make_node("Shape", ["MAX"], ["max"]),
     h.make_node("Shape", ["COUNT_OUT"], ["rows"]),
     h.make_node("Expand", ["max", "rows"], ["MAX_OUT"])],
    [vi("IN", T.FLOAT, ["elements"]), vi("BOUNDS", T.INT32, ["bounds"]),
     vi("COUNT", T.FLOAT, ["requests"]), vi("ITEMS", T.INT32, ["rows", 1]),
     vi("MAX", T.INT32, ["max"])],
    [vi("SUM", T.FLOAT, ["requests", 1]), vi("NEGATED", T.FLOAT, ["elements"]),
     vi("COUNT_OUT", T.FLOAT, ["requests", 1]), vi("ITEMS_OUT", T.INT32, ["rows", 1]),
     vi("MAX_OUT", T.INT64, ["requests", 1])],
    [nh.from_array(np.array([1, 0], np.int64), "in_front"),
     nh.from_array(np.array(0, np.int32), "axis"),
     nh.from_array(np.array([0], np.int64), "first"),
     nh.from_array(np.array([-1], np.int64), "last"),
     nh.from_array(np.array([1], np.int64), "second"),
     nh.from_array(np.array([np.iinfo(np.int64).max], np.int64), "end")])

# The file says that hn is [1, "batch", 2]; it is [1, 1, 2] once the axes are folded into a constant.
put("symbolic_output",
    [h.make_node("Identity", ["one"], ["axes"]), h.make_node("Unsqueeze", ["x", "axes"], ["u"]),
     h.make_node("LSTM", ["u", "W", "R", "", "", "h", "c"], ["y", "hn", "cn"], hidden_size=2)],
    [vi("x", T.FLOAT, ["n", 4]), vi("h", T.FLOAT, [1, 1, 2]), vi("c", T.FLOAT, [1, 1, 2])],
    [vi("y", T.FLOAT, ["n", 1, 1, 2]), vi("hn", T.FLOAT, [1, "batch", 2]),
     vi("cn", T.FLOAT, [1, "batch", 2])],
    [nh.from_array(np.array([1], np.int64), "one"),
     nh.from_array(np.full((1, 8, 4), 0.1, np.float32), "W"),
     nh.from_array(np.full((1, 8, 2), 0.1, np.float32), "R")])

# What skl2onnx makes of a TfidfVectorizer begins so: the locale is en_US.UTF-8, which systems may lack.
put("normalizer",
    [h.make_node("StringNormalizer", ["IN"], ["OUT"], case_change_action="LOWER")],
    [vi("IN", T.STRING, ["n"])], [vi("OUT", T.STRING, ["m"])])

with open(os.path.join(OUT, "corrupt.onnx"), "wb") as f:
    f.write(b"\x08\x09this is not a model" * 8)
