"""A model of MLServer whose output is its input."""

from mlserver import MLModel
from mlserver.types import InferenceRequest, InferenceResponse, ResponseOutput


class Identity(MLModel):
    async def load(self) -> bool:
        return True

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        given = payload.inputs[0]
        output = ResponseOutput(name="OUTPUT0", shape=given.shape, datatype=given.datatype, data=given.data)
        return InferenceResponse(model_name=self.name, id=payload.id, outputs=[output])
