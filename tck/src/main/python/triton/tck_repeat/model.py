"""The TCK's backend tck_repeat (io.nereid.tck.echo.RepeatBackend) for Triton's Python backend."""

import json
import queue
import threading
import time

import numpy
import triton_python_backend_utils as pb

MAX_HOLD_SECONDS = 30


class TritonPythonModel:
    """Serves one request after the other, while ``execute`` takes the next ones."""

    def initialize(self, args):
        self.requests = queue.SimpleQueue()
        threading.Thread(target=self.serve, daemon=True).start()

    def execute(self, requests):
        for request in requests:
            self.requests.put(request)

    def serve(self):
        while True:
            repeat(self.requests.get())


def repeat(request):
    sender = request.get_response_sender()
    wanted = request.requested_output_names()
    for index, value in enumerate(pb.get_input_tensor_by_name(request, "IN").as_numpy().flat):
        if sender.is_cancelled():
            break
        if value < 0:
            error = pb.TritonError(f"IN[{index}] is {value}", pb.TritonError.INVALID_ARG)
            sender.send(
                pb.InferenceResponse(error=error),
                flags=pb.TRITONSERVER_RESPONSE_COMPLETE_FINAL,
            )
            return
        tensors = {
            "OUT": numpy.array([value], numpy.int32),
            "IDX": numpy.array([index], numpy.uint32),
        }
        sender.send(
            pb.InferenceResponse([pb.Tensor(n, t) for n, t in tensors.items() if n in wanted])
        )
    if "hold" in json.loads(request.parameters() or "{}"):
        end = time.monotonic() + MAX_HOLD_SECONDS
        while not sender.is_cancelled() and time.monotonic() < end:
            time.sleep(0.01)
    if sender.is_cancelled():
        sender.send(
            pb.InferenceResponse(error=pb.TritonError("", pb.TritonError.CANCELLED)),
            flags=pb.TRITONSERVER_RESPONSE_COMPLETE_FINAL,
        )
    else:
        sender.send(flags=pb.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
