"""The TCK's backend tck_add_sub (io.nereid.tck.echo.AddSubBackend) for Triton's Python backend."""

import triton_python_backend_utils as pb


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        left = pb.get_input_tensor_by_name(request, "INPUT0").as_numpy()
        right = pb.get_input_tensor_by_name(request, "INPUT1").as_numpy()
        results = {"OUTPUT0": left + right, "OUTPUT1": left - right}
        return pb.InferenceResponse(
            [
                pb.Tensor(name, value)
                for name, value in results.items()
                if name in request.requested_output_names()
            ]
        )
