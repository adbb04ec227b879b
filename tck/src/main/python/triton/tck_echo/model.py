"""The TCK's backend tck_echo (io.nereid.tck.echo.EchoBackend) for Triton's Python backend."""

import json

import triton_python_backend_utils as pb


class TritonPythonModel:
    def initialize(self, args):
        config = json.loads(args["model_config"])
        inputs = [tensor["name"] for tensor in config["input"]]
        self.model = args["model_name"]
        self.outputs = [tensor["name"] for tensor in config["output"]]
        for output in self.outputs:
            if output.replace("OUTPUT", "INPUT") not in inputs:
                raise pb.TritonModelException(
                    f"model '{self.model}': output '{output}' has no input to echo"
                )

    def execute(self, requests):
        return [self.echo(request) for request in requests]

    def echo(self, request):
        tensors = []
        for output in self.outputs:
            if output not in request.requested_output_names():
                continue
            source = output.replace("OUTPUT", "INPUT")
            tensor = pb.get_input_tensor_by_name(request, source)
            if tensor is None:
                error = pb.TritonError(
                    f"model '{self.model}' got no '{source}'", pb.TritonError.INVALID_ARG
                )
                return pb.InferenceResponse(error=error)
            tensors.append(copy(output, tensor))
        return answer(tensors, json.loads(request.parameters() or "{}"))


def answer(tensors, parameters):
    try:
        return pb.InferenceResponse(tensors, parameters=parameters)
    except TypeError:  # responses have parameters since Triton 2.53
        return pb.InferenceResponse(tensors)


def copy(output, tensor):
    try:
        return pb.Tensor(output, tensor.as_numpy())
    except pb.TritonModelException:  # NumPy has no BF16
        return pb.Tensor.from_dlpack(output, tensor.to_dlpack())
