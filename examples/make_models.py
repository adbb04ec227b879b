"""Make the models simple, identity_fp32 and identity_bytes.

    pip install -r digits/requirements.txt
    python make_models.py

Writes models/<name>/1/model.onnx for each of the three; their config.pbtxt
files are kept by hand. The same package versions give the same bytes.
"""

from pathlib import Path

import onnx
from onnx import TensorProto, helper

MODELS = Path(__file__).resolve().parent / "models"


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


def write(graph):
    model = helper.make_model(
        graph,
        producer_name="nereid-examples",
        ir_version=8,
        opset_imports=[helper.make_opsetid("", 17)],
    )
    onnx.checker.check_model(model, full_check=True)
    path = MODELS / graph.name / "1" / "model.onnx"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model.SerializeToString(deterministic=True))
    print(f"{path.relative_to(MODELS.parent)}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    write(simple())
    write(identity("identity_fp32", TensorProto.FLOAT))
    write(identity("identity_bytes", TensorProto.STRING))
