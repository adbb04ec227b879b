"""The TCK's models for KServe's model server: reads ../models.json, and takes the server's options."""

import json
from pathlib import Path

from kserve import InferOutput, InferResponse, Model, ModelServer
from kserve.errors import InvalidInput
from kserve.utils.utils import generate_uuid

# KServe's server has no sequences, no decoupled models, no versions, and no data type BF16.
LEFT_OUT = {"sequence_echo", "repeat", "two_versions", "identity_bf16"}


class TckModel(Model):
    def __init__(self, signature):
        super().__init__(signature["name"])
        self.signature = signature

    def get_input_types(self):
        return self.signature["inputs"]

    def get_output_types(self):
        return self.signature["outputs"]

    def predict(self, payload, headers=None):
        inputs = Inputs(self.name, payload.inputs)
        compute = add_sub if self.signature["computes"] == "add_sub" else echo
        wanted = [output.name for output in payload.request_outputs or []]
        outputs = []
        for output in self.signature["outputs"]:
            if not wanted or output["name"] in wanted:
                value = compute(output["name"], inputs)
                shape, data = list(value.shape), value.flatten().tolist()
                outputs.append(InferOutput(output["name"], shape, output["datatype"], data))
        return InferResponse(
            response_id=payload.id or generate_uuid(),
            model_name=self.name,
            infer_outputs=outputs,
            parameters=payload.parameters,
            use_binary_outputs=payload.use_binary_outputs,
            requested_outputs=payload.request_outputs,
        )


class Inputs:
    def __init__(self, model, tensors):
        self.model = model
        self.tensors = {tensor.name: tensor for tensor in tensors}

    def get(self, name):
        if name not in self.tensors:
            raise InvalidInput(f"model '{self.model}' got no '{name}'")
        return self.tensors[name].as_numpy()


def echo(output, inputs):
    return inputs.get(output.replace("OUTPUT", "INPUT"))


def add_sub(output, inputs):
    left, right = inputs.get("INPUT0"), inputs.get("INPUT1")
    return left + right if output == "OUTPUT0" else left - right


if __name__ == "__main__":
    file = Path(__file__).parent.parent / "models.json"
    models = [TckModel(m) for m in json.loads(file.read_text()) if m["name"] not in LEFT_OUT]
    for model in models:
        model.load()
    ModelServer().start(models)
