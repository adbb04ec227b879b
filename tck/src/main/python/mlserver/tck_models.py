"""The TCK's models for MLServer: reads ../models.json; settings.json names the repository below."""

import json
from pathlib import Path

from mlserver import MLModel, ModelSettings
from mlserver.codecs import NumpyCodec
from mlserver.errors import InferenceError, ModelNotFound
from mlserver.repository import ModelRepository
from mlserver.types import InferenceResponse, ResponseOutput

# MLServer has no sequences, no data type BF16, and another message for the responses of streams.
LEFT_OUT = {"sequence_echo", "identity_bf16", "repeat"}


class TckRepository(ModelRepository):
    def __init__(self, root, **_):
        file = Path(__file__).parent.parent / "models.json"
        self.models = [m for m in json.loads(file.read_text()) if m["name"] not in LEFT_OUT]

    async def list(self):
        return [settings(model, version) for model in self.models for version in model["versions"]]

    async def find(self, name):
        found = [settings for settings in await self.list() if settings.name == name]
        if not found:
            raise ModelNotFound(name)
        return found


def settings(model, version):
    return ModelSettings(
        name=model["name"],
        platform=model["computes"],
        versions=model["versions"],
        inputs=model["inputs"],
        outputs=model["outputs"],
        implementation="tck_models.TckModel",
        parameters={"version": version},
    )


class TckModel(MLModel):
    async def predict(self, payload):
        inputs = Inputs(self.name, payload.inputs)
        compute = add_sub if self.settings.platform == "add_sub" else echo
        wanted = [output.name for output in payload.outputs or self.outputs]
        given = payload.parameters.model_dump() if payload.parameters else {}
        return InferenceResponse(
            id=payload.id,
            model_name=self.name,
            model_version=self.version,
            parameters={k: v for k, v in given.items() if k not in ("content_type", "headers")} or None,
            outputs=[compute(name, inputs) for name in wanted],
        )


class Inputs:
    def __init__(self, model, tensors):
        self.model = model
        self.tensors = {tensor.name: tensor for tensor in tensors}

    def get(self, name):
        if name not in self.tensors:
            raise InferenceError(f"model '{self.model}' got no '{name}'")
        return self.tensors[name]


def echo(output, inputs):
    tensor = inputs.get(output.replace("OUTPUT", "INPUT"))
    if tensor.datatype == "BYTES":
        return answer(output, tensor, list(tensor.data))
    return answer(output, tensor, NumpyCodec.decode_input(tensor))


def add_sub(output, inputs):
    left, right = (NumpyCodec.decode_input(inputs.get(name)) for name in ("INPUT0", "INPUT1"))
    return answer(output, inputs.get("INPUT0"), left + right if output == "OUTPUT0" else left - right)


def answer(output, like, data):
    flat = data if isinstance(data, list) else data.flatten().tolist()
    return ResponseOutput(name=output, datatype=like.datatype, shape=like.shape, data=flat)
