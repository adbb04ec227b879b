"""Train the digits model and write it into the example model repository.

    pip install -r requirements.txt
    python train.py              train, write the files, measure held-out accuracy
    python train.py --check      only measure the accuracy of the model on disk
    python train.py --validate   5-fold cross-validation within the training part,
                                 writes nothing: for trying settings

The data are the 1797 handwritten digits, 8x8 pixels of 0..16, that come with
scikit-learn. 360 of them are held out; neither training nor --validate sees them.

The network, in plain NumPy: two rounds of 3x3 convolution, ReLU and 2x2 max
pooling, then one dense layer and softmax. Each forward step also returns what its
backward step needs. The exported graph divides by 16: clients send raw pixels.

Written, relative to this folder:
    ../models/digits/1/model.onnx    the model
    ../models/digits/labels.txt      one label per class
    held-out/NNN.json                one inference request per held-out digit
    held-out/truth.tsv               file name, tab, the digit it shows
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one order of summation in every run

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold, train_test_split

HERE = Path(__file__).resolve().parent
MODEL_DIR = HERE.parent / "models" / "digits"
MODEL = MODEL_DIR / "1" / "model.onnx"
HELD_OUT = HERE / "held-out"
LABELS = "zero one two three four five six seven eight nine".split()

SEED = 20240817
HELD_OUT_COUNT = 360
CHANNELS = (16, 32)
EPOCHS = 120
BATCH = 32
LEARNING_RATE = 3e-3
WEIGHT_DECAY = 0.1
SHIFTED = 0.5  # share of each batch that is moved by up to one pixel
PIXEL_MAX = 16


def pad(x):
    return np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))


def columns(x):
    """The 3x3 neighbourhood of every pixel: [N*H*W, C*9]."""
    n, c, h, w = x.shape
    windows = np.lib.stride_tricks.sliding_window_view(pad(x), (3, 3), axis=(2, 3))
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(n * h * w, c * 9)


def conv(x, weight):
    n, _, h, w = x.shape
    cols = columns(x)
    y = cols @ weight.reshape(len(weight), -1).T
    return y.reshape(n, h, w, -1).transpose(0, 3, 1, 2), cols


def conv_backward(dy, cols, weight):
    """Gradients with respect to the input, the weight and the bias."""
    flat = dy.transpose(0, 2, 3, 1).reshape(-1, len(weight))
    turned = weight.transpose(1, 0, 2, 3)[:, :, ::-1, ::-1]
    return conv(dy, turned)[0], (flat.T @ cols).reshape(weight.shape), flat.sum(axis=0)


def relu_pool(x):
    """ReLU, then the largest of each 2x2 block."""
    n, c, h, w = x.shape
    blocks = x.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 1, 2, 4, 3, 5)
    blocks = blocks.reshape(n, c, h // 2, w // 2, 4)
    winner = blocks.argmax(axis=-1)[..., None]
    y = np.take_along_axis(blocks, winner, axis=-1)
    passed = np.zeros_like(blocks)
    np.put_along_axis(passed, winner, (y > 0).astype(x.dtype), axis=-1)
    return np.maximum(y[..., 0], 0), passed


def relu_pool_backward(dy, passed):
    n, c, h, w = dy.shape
    blocks = (passed * dy[..., None]).reshape(n, c, h, w, 2, 2)
    return blocks.transpose(0, 1, 2, 4, 3, 5).reshape(n, c, h * 2, w * 2)


def initial_parameters(rng):
    def he(*shape):
        return rng.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape).astype(np.float32)

    c1, c2 = CHANNELS
    p = {"conv1.weight": he(c1, 1, 3, 3), "conv2.weight": he(c2, c1, 3, 3),
         "dense.weight": he(10, c2 * 2 * 2)}
    return p | {k.replace("weight", "bias"): np.zeros(len(w), np.float32) for k, w in p.items()}


def forward(p, images):
    """Class probabilities for raw pixels, and what gradients() needs."""
    x = images / np.float32(PIXEL_MAX)
    a, cols1 = conv(x, p["conv1.weight"])
    a, passed1 = relu_pool(a + p["conv1.bias"][:, None, None])
    a, cols2 = conv(a, p["conv2.weight"])
    a, passed2 = relu_pool(a + p["conv2.bias"][:, None, None])
    features = a.reshape(len(a), -1)
    scores = features @ p["dense.weight"].T + p["dense.bias"]
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True), (cols1, passed1, cols2, passed2, features)


def gradients(p, images, digits):
    """Gradients of the mean cross-entropy."""
    probabilities, (cols1, passed1, cols2, passed2, features) = forward(p, images)
    d = (probabilities - np.eye(10, dtype=np.float32)[digits]) / np.float32(len(digits))
    g = {"dense.weight": d.T @ features, "dense.bias": d.sum(axis=0)}
    d = (d @ p["dense.weight"]).reshape(passed2.shape[:-1])
    d = relu_pool_backward(d, passed2)
    d, g["conv2.weight"], g["conv2.bias"] = conv_backward(d, cols2, p["conv2.weight"])
    d = relu_pool_backward(d, passed1)
    _, g["conv1.weight"], g["conv1.bias"] = conv_backward(d, cols1, p["conv1.weight"])
    return g


def shift_some(images, rng):
    """Move a random share of the images by -1, 0 or 1 pixels each way."""
    padded, moved = pad(images), images.copy()
    for i in np.flatnonzero(rng.random(len(images)) < SHIFTED):
        dy, dx = rng.integers(0, 3, 2)
        moved[i] = padded[i, :, dy:dy + 8, dx:dx + 8]
    return moved


def train(images, digits):
    """Adam with decoupled weight decay; the step size falls to zero along a cosine."""
    rng = np.random.default_rng(SEED)
    p = initial_parameters(rng)
    mean = {k: np.zeros_like(v) for k, v in p.items()}
    square = {k: np.zeros_like(v) for k, v in p.items()}
    step, steps = 0, EPOCHS * -(-len(images) // BATCH)
    for _ in range(EPOCHS):
        order = rng.permutation(len(images))
        for start in range(0, len(order), BATCH):
            batch = order[start:start + BATCH]
            g = gradients(p, shift_some(images[batch], rng), digits[batch])
            rate = np.float32(LEARNING_RATE * (1 + np.cos(np.pi * step / steps)) / 2)
            step += 1
            for k in p:
                mean[k] = np.float32(0.9) * mean[k] + np.float32(0.1) * g[k]
                square[k] = np.float32(0.999) * square[k] + np.float32(0.001) * g[k] ** 2
                m = mean[k] / np.float32(1 - 0.9 ** step)
                root = np.sqrt(square[k] / np.float32(1 - 0.999 ** step))
                p[k] -= rate * (m / (root + np.float32(1e-8)) + np.float32(WEIGHT_DECAY) * p[k])
    return p


def write_model(p):
    node = helper.make_node
    constants = {"pixel_max": np.array(PIXEL_MAX, np.float32), **p}
    nodes = [
        node("Div", ["image", "pixel_max"], ["scaled"]),
        node("Conv", ["scaled", "conv1.weight", "conv1.bias"], ["conv1"], pads=[1, 1, 1, 1]),
        node("Relu", ["conv1"], ["relu1"]),
        node("MaxPool", ["relu1"], ["pool1"], kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", ["pool1", "conv2.weight", "conv2.bias"], ["conv2"], pads=[1, 1, 1, 1]),
        node("Relu", ["conv2"], ["relu2"]),
        node("MaxPool", ["relu2"], ["pool2"], kernel_shape=[2, 2], strides=[2, 2]),
        node("Flatten", ["pool2"], ["features"]),
        node("Gemm", ["features", "dense.weight", "dense.bias"], ["scores"], transB=1),
        node("Softmax", ["scores"], ["probabilities"], axis=1),
    ]
    graph = helper.make_graph(
        nodes, "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 1, 8, 8])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["batch", 10])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, producer_name="nereid-examples", ir_version=8,
                              opset_imports=[helper.make_opsetid("", 17)])
    onnx.checker.check_model(model, full_check=True)
    MODEL.parent.mkdir(parents=True, exist_ok=True)
    MODEL.write_bytes(model.SerializeToString(deterministic=True))
    (MODEL_DIR / "labels.txt").write_text("".join(f"{label}\n" for label in LABELS))


def write_held_out(images, digits):
    HELD_OUT.mkdir(exist_ok=True)
    truth = []
    for i, (image, digit) in enumerate(zip(images, digits)):
        tensor = {"name": "image", "shape": [1, 1, 8, 8], "datatype": "FP32",
                  "data": image.astype(int).ravel().tolist()}
        body = json.dumps({"inputs": [tensor]}, separators=(",", ":"))
        (HELD_OUT / f"{i:03}.json").write_text(body + "\n")
        truth.append(f"{i:03}.json\t{digit}\n")
    (HELD_OUT / "truth.tsv").write_text("".join(truth))


def check():
    """Run every held-out request through the model on disk with ONNX Runtime."""
    session = onnxruntime.InferenceSession(MODEL, providers=["CPUExecutionProvider"])
    right = total = 0
    for line in (HELD_OUT / "truth.tsv").read_text().splitlines():
        file, digit = line.split("\t")
        tensor = json.loads((HELD_OUT / file).read_text())["inputs"][0]
        image = np.array(tensor["data"], np.float32).reshape(tensor["shape"])
        probabilities, = session.run(["probabilities"], {"image": image})
        right += int(probabilities.argmax() == int(digit))
        total += 1
    print(f"held-out accuracy: {right} of {total} = {right / total:.2%}")


def cross_validate(images, digits):
    right = 0
    for fit, rest in StratifiedKFold(5, shuffle=True, random_state=1).split(images, digits):
        probabilities, _ = forward(train(images[fit], digits[fit]), images[rest])
        right += (probabilities.argmax(axis=1) == digits[rest]).sum()
    print(f"cross-validation accuracy: {right} of {len(digits)} = {right / len(digits):.2%}")


def main():
    parser = argparse.ArgumentParser(description="Train the digits example model.")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="only measure the model on disk")
    mode.add_argument("--validate", action="store_true", help="cross-validate, write nothing")
    options = parser.parse_args()
    if options.check:
        return check()
    data = load_digits()
    images = data.images.astype(np.float32)[:, None]
    images, held_images, digits, held_digits = train_test_split(
        images, data.target, test_size=HELD_OUT_COUNT, stratify=data.target, random_state=SEED)
    if options.validate:
        return cross_validate(images, digits)
    write_model(train(images, digits))
    write_held_out(held_images, held_digits)
    check()


if __name__ == "__main__":
    main()
