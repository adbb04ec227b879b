"""Make the models simple, identity_fp32, identity_bytes, digits_pixels,
digits_label and digits_finder.

    pip install -r digits/requirements.txt
    python make_models.py

Writes models/<name>/1/model.onnx for each of the first five, and
java-models/digits_finder/1/model.onnx; their config.pbtxt files are kept by
hand. Also writes four_outputs.onnx, a model of a benchmark.
The same package versions give the same bytes.
"""

from pathlib import Path

import onnx
from onnx import TensorProto, helper

EXAMPLES = Path(__file__).resolve().parent
MODELS = EXAMPLES / "models"
BENCHMARKS = EXAMPLES.parent / "benchmarks" / "src" / "main" / "resources"
GREY_MAX = 255
PIXEL_MAX = 16  # of the digits model
FAINT = 24  # grey that is no ink yet
LABELS = (MODELS / "digits" / "labels.txt").read_text().split()


def tensors(element_type, shape, *names):
    return [helper.make_tensor_value_info(name, element_type, shape) for name in names]


def simple():
    """OUTPUT0 = INPUT0 + INPUT1, OUTPUT1 = INPUT0 - INPUT1."""
    shape = ["batch", 16]
    return helper.make_graph(
        [
            helper.make_node("Add", ["INPUT0", "INPUT1"], ["OUTPUT0"], name="sum"),
            helper.make_node("Sub", ["INPUT0", "INPUT1"], ["OUTPUT1"], name="difference"),
        ],
        "simple",
        tensors(TensorProto.INT32, shape, "INPUT0", "INPUT1"),
        tensors(TensorProto.INT32, shape, "OUTPUT0", "OUTPUT1"),
    )


def identity(name, element_type):
    """OUTPUT0 = INPUT0, a vector of any length."""
    return helper.make_graph(
        [helper.make_node("Identity", ["INPUT0"], ["OUTPUT0"], name="identity")],
        name,
        tensors(element_type, ["length"], "INPUT0"),
        tensors(element_type, ["length"], "OUTPUT0"),
    )


def digits_pixels():
    """pixels = what the digits model reads, of a grey image of 8-bit pixels."""
    shape = ["batch", 1, 8, 8]
    scale = helper.make_tensor("scale", TensorProto.FLOAT, [], [PIXEL_MAX / GREY_MAX])
    return helper.make_graph(
        [
            helper.make_node("Cast", ["grey"], ["floats"], to=TensorProto.FLOAT, name="floats"),
            helper.make_node("Mul", ["floats", "scale"], ["pixels"], name="scaled"),
        ],
        "digits_pixels",
        tensors(TensorProto.UINT8, shape, "grey"),
        tensors(TensorProto.FLOAT, shape, "pixels"),
        [scale],
    )


def digits_label():
    """label = the name of the most probable digit, probability = its own."""
    names = helper.make_tensor(
        "names", TensorProto.STRING, [len(LABELS)], [label.encode() for label in LABELS]
    )
    return helper.make_graph(
        [
            helper.make_node("ArgMax", ["probabilities"], ["digit"], axis=1, name="digit"),
            helper.make_node("Gather", ["names", "digit"], ["label"], name="label"),
            helper.make_node(
                "ReduceMax", ["probabilities"], ["probability"], axes=[1], name="probability"
            ),
        ],
        "digits_label",
        tensors(TensorProto.FLOAT, ["batch", len(LABELS)], "probabilities"),
        tensors(TensorProto.STRING, ["batch", 1], "label")
        + tensors(TensorProto.FLOAT, ["batch", 1], "probability"),
        [names],
    )


def digits_finder():
    """ink = where a page has ink, and one pixel around it: 1, else 0."""
    shape = ["height", "width"]
    threshold = helper.make_tensor("threshold", TensorProto.FLOAT, [], [FAINT])
    outer = helper.make_tensor("outer", TensorProto.INT64, [2], [0, 1])
    return helper.make_graph(
        [
            helper.make_node("Cast", ["page"], ["floats"], to=TensorProto.FLOAT, name="floats"),
            helper.make_node("Unsqueeze", ["floats", "outer"], ["image"], name="image"),
            helper.make_node(
                "MaxPool",
                ["image"],
                ["thick"],
                kernel_shape=[3, 3],
                pads=[1, 1, 1, 1],
                name="thick",
            ),
            helper.make_node("Squeeze", ["thick", "outer"], ["flat"], name="flat"),
            helper.make_node("Greater", ["flat", "threshold"], ["dark"], name="dark"),
            helper.make_node("Cast", ["dark"], ["ink"], to=TensorProto.UINT8, name="ink"),
        ],
        "digits_finder",
        tensors(TensorProto.UINT8, shape, "page"),
        tensors(TensorProto.UINT8, shape, "ink"),
        [threshold, outer],
    )


def four_outputs():
    """INPUT plus itself, minus itself, times itself and divided by itself."""
    shape = ["batch", 10]
    operators = ["Add", "Sub", "Mul", "Div"]
    outputs = [f"OUTPUT{i}" for i in range(len(operators))]
    return helper.make_graph(
        [
            helper.make_node(operator, ["INPUT", "INPUT"], [output], name=operator)
            for operator, output in zip(operators, outputs)
        ],
        "four_outputs",
        tensors(TensorProto.FLOAT, shape, "INPUT"),
        tensors(TensorProto.FLOAT, shape, *outputs),
    )


def write(graph, path=None):
    """Writes to path; by default to the repository of the examples."""
    model = helper.make_model(
        graph,
        producer_name="nereid-examples",
        ir_version=8,
        opset_imports=[helper.make_opsetid("", 17)],
    )
    onnx.checker.check_model(model, full_check=True)
    path = path or MODELS / graph.name / "1" / "model.onnx"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model.SerializeToString(deterministic=True))
    print(f"{path.relative_to(EXAMPLES.parent)}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    write(simple())
    write(identity("identity_fp32", TensorProto.FLOAT))
    write(identity("identity_bytes", TensorProto.STRING))
    write(digits_pixels())
    write(digits_label())
    write(digits_finder(), EXAMPLES / "java-models" / "digits_finder" / "1" / "model.onnx")
    write(four_outputs(), BENCHMARKS / "four_outputs.onnx")
