"""KServe's server with models whose output is their input: kserve_identity.py --http_port=0 --grpc_port=0."""

import argparse

from kserve import InferOutput, InferResponse, Model, ModelServer, model_server
from kserve.utils.utils import generate_uuid


class Identity(Model):
    def __init__(self, name, datatype):
        super().__init__(name)
        self.datatype = datatype
        self.ready = True

    async def get_input_types(self):
        return [{"name": "INPUT0", "datatype": self.datatype, "shape": [-1]}]

    async def get_output_types(self):
        return [{"name": "OUTPUT0", "datatype": self.datatype, "shape": [-1]}]

    def predict(self, payload, headers=None, response_headers=None):
        given = payload.inputs[0]
        output = InferOutput(name="OUTPUT0", shape=given.shape, datatype=given.datatype)
        output.set_data_from_numpy(given.as_numpy(), binary_data=payload.use_binary_outputs)
        return InferResponse(
            payload.id or generate_uuid(),
            self.name,
            [output],
            use_binary_outputs=payload.use_binary_outputs,
            requested_outputs=payload.request_outputs,
        )


if __name__ == "__main__":
    arguments, _ = argparse.ArgumentParser(parents=[model_server.parser]).parse_known_args()
    types = ["FP32", "INT64", "BYTES", "FP16"]
    ModelServer(http_port=arguments.http_port, grpc_port=arguments.grpc_port, workers=1).start(
        [Identity("identity_" + each.lower(), each) for each in types]
    )
