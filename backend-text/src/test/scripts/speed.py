"""Texts per second of servers and libraries with the same model, in turn, on the same processors; prints a table.

    python speed.py <folder of the model> <seconds> <kind>... -- <name=command>...

A kind is short, long or mixed: 5 to 15 words, 200 to 250, or lengths as in documents, of which most are short. A server is a
command with {port} and {model}, and speaks OpenAI's /v1/embeddings. `floor` is ONNX Runtime in a loop, one text at a time without
padding; `fastembed` is that library with one thread, given lists of 1,000; `langchain4j=java -cp …` its embedding model in process,
with two threads and lists of 100. Rows of servers: one client, 16 and 64, one text in a request, and a client with lists of 1,000
beside one with single texts.
"""

import json
import os
import random
import shlex
import socket
import subprocess
import sys
import threading
import time
from http.client import HTTPConnection

TEXTS = 4000
LIST = 1000
WARM_UP = 8
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE") / 2**20


def texts(kind):
    draw = random.Random(kind)
    words = [word for word in open("/usr/share/common-licenses/GPL-3", encoding="utf-8").read().split() if word.isalpha()]

    def length():
        if kind == "short":
            return draw.randint(5, 15)
        if kind == "long":
            return draw.randint(200, 250)
        return min(250, int(draw.expovariate(1 / 30)) + 1)

    return [" ".join(draw.choices(words, k=length())) for _ in range(TEXTS)]


class Process:
    """A server with its children: the processor's seconds and the memory that it took."""

    def __init__(self, name, command, model):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = open(f"{name}.log", "wb")
        words = shlex.split(command.format(port=self.port, model=model))
        self.process = subprocess.Popen(words, stdout=self.log, stderr=subprocess.STDOUT)
        self.model = os.path.basename(model)
        for _ in range(600):
            try:
                self.embed(HTTPConnection("127.0.0.1", self.port), ["ready"])
                return
            except (OSError, ValueError):
                if self.process.poll() is not None:
                    raise SystemExit(f"{name} has ended: see {name}.log")
                time.sleep(0.2)
        raise SystemExit(f"{name} does not answer: see {name}.log")

    def embed(self, connection, batch):
        body = json.dumps({"model": self.model, "input": batch if len(batch) > 1 else batch[0], "encoding_format": "base64"})
        connection.request("POST", "/v1/embeddings", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        answer = response.read()
        if response.status != 200:
            raise ValueError(f"{response.status} {answer[:200]}")
        if len(json.loads(answer)["data"]) != len(batch):
            raise ValueError("vectors are missing")

    def all(self):
        pids, found = [self.process.pid], []
        while pids:
            pid = pids.pop()
            found.append(pid)
            for task in os.listdir(f"/proc/{pid}/task"):
                try:
                    pids += map(int, open(f"/proc/{pid}/task/{task}/children").read().split())
                except FileNotFoundError:
                    pass  # the thread has ended
        return found

    def seconds(self):
        total = 0
        for pid in self.all():
            fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICKS

    def mebibytes(self):
        return sum(int(open(f"/proc/{pid}/statm").read().split()[1]) for pid in self.all()) * PAGE

    def close(self):
        self.process.terminate()
        self.process.wait(30)


def load(server, all_texts, clients, seconds, batch=1):
    """Closed loop: the latencies of each client's requests within the time, and how long it took."""
    end = time.monotonic() + seconds
    latencies = [[] for _ in range(clients)]
    failures = []

    def client(index):
        connection = HTTPConnection("127.0.0.1", server.port)
        at = index * 37
        try:
            while time.monotonic() < end:
                chosen = [all_texts[(at + i) % len(all_texts)] for i in range(batch)]
                at += batch * clients
                start = time.monotonic()
                server.embed(connection, chosen)
                latencies[index].append(time.monotonic() - start)
        except (OSError, ValueError) as failure:
            failures.append(failure)

    start = time.monotonic()
    threads = [threading.Thread(target=client, args=(index,)) for index in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise SystemExit(f"{len(failures)} clients failed, first: {failures[0]}")
    return sorted(latency for each in latencies for latency in each), time.monotonic() - start


def row(name, kind, what, count, took, latencies, cpu, memory):
    def quantile(part):
        return f"{latencies[int(part * (len(latencies) - 1))] * 1e3:.1f}" if latencies else ""

    print(f"| {kind} | {what} | {name} | {count / took:.0f} | {quantile(0.5)} | {quantile(0.99)} | {cpu / count * 1e3:.2f} | {memory:.0f} |", flush=True)


def measure_server(server, name, kind, all_texts, seconds):
    for clients in (1, 16, 64):
        before = server.seconds()
        latencies, took = load(server, all_texts, clients, seconds)
        row(name, kind, f"{clients} clients", len(latencies), took, latencies, server.seconds() - before, server.mebibytes())
    before = server.seconds()
    singles = []
    beside = threading.Thread(target=lambda: singles.append(load(server, all_texts, 1, seconds)))
    beside.start()
    lists, took = load(server, all_texts, 1, seconds, LIST)
    beside.join()
    count = LIST * len(lists) + len(singles[0][0])
    row(name, kind, "lists, and p50 and p99 of singles", count, took, singles[0][0], server.seconds() - before, server.mebibytes())


def floor(model, kind, all_texts, seconds):
    import numpy as np
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(os.path.join(model, "model.onnx"), options)
    tokens = Tokenizer.from_file(os.path.join(model, "tokenizer.json"))
    tokens.no_padding()
    tokens.enable_truncation(256)
    feeds = []
    for encoded in tokens.encode_batch(all_texts):
        feeds.append({"input_ids": np.array([encoded.ids], np.int64), "attention_mask": np.ones((1, len(encoded.ids)), np.int64),
                      "token_type_ids": np.zeros((1, len(encoded.ids)), np.int64)})
    latencies, start, cpu = [], time.monotonic(), time.process_time()
    while time.monotonic() - start < seconds:
        begun = time.monotonic()
        session.run(None, feeds[len(latencies) % len(feeds)])
        latencies.append(time.monotonic() - begun)
    row("floor", kind, "1 thread", len(latencies), time.monotonic() - start, sorted(latencies), time.process_time() - cpu, 0)


def fastembed(model, kind, all_texts, seconds):
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    name = "local/model"
    if name not in [each["model"] for each in TextEmbedding.list_supported_models()]:
        TextEmbedding.add_custom_model(
            model=name, pooling=PoolingType.MEAN, normalization=True, sources=ModelSource(hf=name), dim=384, model_file="model.onnx")
    library = TextEmbedding(model_name=name, specific_model_path=model, threads=1)
    count, start, cpu = 0, time.monotonic(), time.process_time()
    while time.monotonic() - start < seconds:
        count += len(list(library.embed([all_texts[(count + i) % len(all_texts)] for i in range(LIST)])))
    row("fastembed", kind, "1 thread, lists", count, time.monotonic() - start, [], time.process_time() - cpu, 0)


def langchain4j(command, model, kind, all_texts, seconds):
    with open("texts.txt", "w", encoding="utf-8") as file:
        file.write("\n".join(all_texts))
    words = [*shlex.split(command), "Speed", model, "texts.txt", str(seconds), "2"]
    count, took, cpu = map(float, subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout.split())
    row("langchain4j", kind, "2 threads, lists", count, took, [], cpu, 0)


def main(model, seconds, arguments):
    split = arguments.index("--")
    print("| texts | clients | | texts/s | p50, ms | p99, ms | CPU, ms a text | memory, MiB |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for kind in arguments[:split]:
        all_texts = texts(kind)
        for each in arguments[split + 1 :]:
            name, _, command = each.partition("=")
            if name in ("floor", "fastembed"):
                globals()[name](model, kind, all_texts, seconds)
                continue
            if name == "langchain4j":
                langchain4j(command, model, kind, all_texts, seconds)
                continue
            server = Process(name, command, model)
            try:
                load(server, all_texts, 16, WARM_UP)
                measure_server(server, name, kind, all_texts, seconds)
            finally:
                server.close()


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
