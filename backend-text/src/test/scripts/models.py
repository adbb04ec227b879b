"""Makes the small models of backend-text's tests, and what Python says of them.

    python models.py <folder>

Each graph adds the mean of all tokens of a text to each of them, as attention does, so that padding
without a mask and positions from a wrong start change its output.
"""

import json
import os
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

WIDTH = 8
POSITIONS = 32
PIECES = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "sea", "is", "deep", "and", "blue", "a", "ship", "##s",
    "sail", "##ing", "wind", "##y", "who", "where", "?", ".", "query", ":", "passage", "caf", "##e",
    "h", "##e", "##l", "##o", "日", "本", "##n", "w", "##d", "east", "north", "old", "harbour", "light",
]
VOCABULARY = {piece: id for id, piece in enumerate(dict.fromkeys(PIECES))}
TEXTS = [
    "the sea is deep and blue",
    "A ship sails.",
    "",
    "old harbour light",
    "Café 日本 zzz",
    "where is the north wind ?",
    "the sea " * 40,
]
PAIRS = [
    ["where is the ship ?", "the ship is sailing east."],
    ["who ?", "the old harbour is deep and blue " * 9],
    ["the sea " * 30, "north"],
]


def tokenizer():
    special = lambda name: {"SpecialToken": {"id": name, "type_id": 0}}
    one = {"SpecialToken": {"id": "[SEP]", "type_id": 1}}
    first = {"Sequence": {"id": "A", "type_id": 0}}
    second = {"Sequence": {"id": "B", "type_id": 1}}
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    return {
        "version": "1.0",
        # What the file says of padding and truncation is not the server's.
        "truncation": {"max_length": 5, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        "padding": {"strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"},
        "added_tokens": [
            {"id": VOCABULARY[name], "content": name, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
            for name in tokens
        ],
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [special("[CLS]"), first, special("[SEP]")],
            "pair": [special("[CLS]"), first, special("[SEP]"), second, one],
            "special_tokens": {name: {"id": name, "ids": [VOCABULARY[name]], "tokens": [name]} for name in ("[CLS]", "[SEP]")},
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": VOCABULARY},
    }


def graph(kind, random):
    """Of a kind: tokens, pooled, quantised, or the number of labels."""
    node = helper.make_node
    weights = {
        "words": random.standard_normal((len(VOCABULARY), WIDTH)).astype(np.float32),
        "types": random.standard_normal((2, WIDTH)).astype(np.float32),
        "places": random.standard_normal((POSITIONS, WIDTH)).astype(np.float32),
        "mixing": random.standard_normal((WIDTH, WIDTH)).astype(np.float32),
        "last_axis": np.array([2], np.int64),
        "middle_axis": np.array([1], np.int64),
        "zero": np.array(0, np.int64),
        "one": np.array(1, np.int64),
    }
    nodes = [
        node("Gather", ["words", "input_ids"], ["of_words"]),
        node("Gather", ["types", "token_type_ids"], ["of_types"]),
        node("Shape", ["input_ids"], ["shape"]),
        node("Gather", ["shape", "one"], ["length"]),
        node("Range", ["zero", "length", "one"], ["range"]),
        node("Gather", ["places", "range"], ["of_places"]),
        node("Add", ["of_words", "of_types"], ["typed"]),
        node("Add", ["typed", "of_places"], ["embedded"]),
        node("Cast", ["attention_mask"], ["mask_float"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["mask_float", "last_axis"], ["mask"]),
        node("Mul", ["embedded", "mask"], ["masked"]),
        node("ReduceSum", ["masked", "middle_axis"], ["sum"], keepdims=1),
        node("ReduceSum", ["mask", "middle_axis"], ["count"], keepdims=1),
        node("Div", ["sum", "count"], ["mean"]),
        node("Add", ["embedded", "mean"], ["context"]),
    ]
    last = "last_hidden_state"
    if kind == "quantised":
        nodes += [
            node("DynamicQuantizeLinear", ["context"], ["q", "q_scale", "q_zero"]),
            node("DequantizeLinear", ["q", "q_scale", "q_zero"], ["rough"]),
            node("MatMul", ["rough", "mixing"], ["mixed"]),
        ]
    else:
        nodes.append(node("MatMul", ["context", "mixing"], ["mixed"]))
    nodes.append(node("Tanh", ["mixed"], [last]))
    value = helper.make_tensor_value_info
    outputs = [value(last, TensorProto.FLOAT, ["batch", "tokens", WIDTH])]
    if kind == "pooled":
        nodes += [
            node("Mul", [last, "mask"], ["kept"]),
            node("ReduceSum", ["kept", "middle_axis"], ["kept_sum"], keepdims=0),
            node("ReduceSum", ["mask", "middle_axis"], ["flat_count"], keepdims=0),
            node("Div", ["kept_sum", "flat_count"], ["sentence_embedding"]),
        ]
        outputs.append(value("sentence_embedding", TensorProto.FLOAT, ["batch", WIDTH]))
    if isinstance(kind, int):
        weights["head"] = random.standard_normal((WIDTH, kind)).astype(np.float32)
        nodes += [
            node("Gather", [last, "zero"], ["first"], axis=1),
            node("MatMul", ["first", "head"], ["logits"]),
        ]
        outputs = [value("logits", TensorProto.FLOAT, ["batch", kind])]
    inputs = [value(name, TensorProto.INT64, ["batch", "tokens"]) for name in ("input_ids", "attention_mask", "token_type_ids")]
    initializers = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    model = helper.make_model(
        helper.make_graph(nodes, "text", inputs, outputs, initializers),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    onnx.checker.check_model(model)
    return model


def answers(folder, output, most, finish, prompt=""):
    """What Python says of the texts or pairs of a model, one at a time."""
    tokens = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    tokens.no_padding()
    tokens.enable_truncation(most)
    session = onnxruntime.InferenceSession(graph_of(folder))
    found = []
    for text in PAIRS if output == "logits" else TEXTS:
        pair = isinstance(text, list)
        encoded = tokens.encode(*text) if pair else tokens.encode(prompt + text)
        result = session.run([output], {
            "input_ids": np.array([encoded.ids], np.int64),
            "attention_mask": np.ones((1, len(encoded.ids)), np.int64),
            "token_type_ids": np.array([encoded.type_ids], np.int64),
        })[0][0]
        found.append({"text": text, "ids": encoded.ids, "result": finish(result).astype(float).round(8).tolist()})
    return found


def graph_of(folder):
    path = os.path.join(folder, "model.onnx")
    return path if os.path.exists(path) else os.path.join(folder, "onnx", "model.onnx")


def unit(vector):
    return vector / np.linalg.norm(vector)


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file, ensure_ascii=False, indent=1)
        file.write("\n")


def model(root, name, kind, config, files, output, finish, prompt="", inside=""):
    folder = os.path.join(root, name, "1")
    write(os.path.join(folder, "config.json"), {"model_type": "bert", "max_position_embeddings": POSITIONS, "pad_token_id": 0, **config})
    write(os.path.join(folder, "tokenizer.json"), tokenizer())
    for path, content in files.items():
        write(os.path.join(folder, path), content)
    os.makedirs(os.path.join(folder, inside), exist_ok=True)
    onnx.save(graph(kind, np.random.default_rng(7)), os.path.join(folder, inside, "model.onnx"))
    most = files.get("sentence_bert_config.json", {}).get("max_seq_length", POSITIONS)
    write(os.path.join(root, name, "expected.json"), answers(folder, output, most, finish, prompt))


def main(root):
    plain = {"architectures": ["BertModel"], "hidden_size": WIDTH}
    pooling = lambda mode: {"1_Pooling/config.json": {"word_embedding_dimension": WIDTH, "pooling_mode_cls_token": mode == "cls", "pooling_mode_mean_tokens": mode == "mean", "pooling_mode_lasttoken": mode == "last"}}
    sentence = lambda type, path: {"idx": 0, "name": "0", "path": path, "type": "sentence_transformers.models." + type}
    model(root, "mean", "tokens", plain, {
        **pooling("mean"),
        "sentence_bert_config.json": {"max_seq_length": 16, "do_lower_case": False},
        "modules.json": [sentence("Transformer", ""), sentence("Pooling", "1_Pooling"), sentence("Normalize", "2_Normalize")],
        "tokenizer_config.json": {"model_max_length": 1000000000000000019884624838656},
    }, "last_hidden_state", lambda tokens: unit(tokens.mean(axis=0)))
    model(root, "cls", "tokens", plain, {
        **pooling("cls"),
        "config_sentence_transformers.json": {"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": "query"},
    }, "last_hidden_state", lambda tokens: unit(tokens[0]), prompt="query: ", inside="onnx")
    model(root, "last", "tokens", plain, pooling("last"), "last_hidden_state", lambda tokens: unit(tokens[-1]))
    model(root, "pooled", "pooled", plain, {}, "sentence_embedding", unit)
    model(root, "quantised", "quantised", plain, pooling("mean"), "last_hidden_state", lambda tokens: unit(tokens.mean(axis=0)))
    model(root, "rerank", 1, {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "LABEL_0"}}, {}, "logits", lambda logits: 1 / (1 + np.exp(-logits)))
    model(root, "classify", 3, {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "calm", "1": "rough", "2": "unknown"}}, {}, "logits", lambda logits: np.exp(logits) / np.exp(logits).sum())


if __name__ == "__main__":
    main(sys.argv[1])
