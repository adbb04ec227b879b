"""A small multilingual model as XLM-R's are: a Unigram vocabulary of SentencePiece with its own normalisation, <s> and </s> around a
text, positions behind the padding's id. Its weights are random, since no package has a real one."""

import io
import json
import os

import numpy as np
import onnx
import sentencepiece
from onnx import TensorProto, helper, numpy_helper
from sentencepiece import sentencepiece_model_pb2
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

PIECES = 8000
HIDDEN = 64
HEADS = 4
LAYERS = 2
PAD = 1
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]


def tokenizer(texts):
    trained = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_writer=trained, vocab_size=PIECES, model_type="unigram", character_coverage=0.99,
        hard_vocab_limit=False, num_threads=1, minloglevel=2)
    parsed = sentencepiece_model_pb2.ModelProto.FromString(trained.getvalue())
    # the first three pieces of SentencePiece are <unk>, <s> and </s>
    vocabulary = [(each, 0.0) for each in SPECIAL] + [(each.piece, each.score) for each in parsed.pieces[3:]]
    result = Tokenizer(models.Unigram(vocabulary, SPECIAL.index("<unk>"), False))
    result.add_special_tokens(SPECIAL)
    result.normalizer = normalizers.Precompiled(parsed.normalizer_spec.precompiled_charsmap)
    result.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    result.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    result.decoder = decoders.Metaspace()
    return result


def graph(vocabulary, positions):
    random = np.random.default_rng(7)
    nodes, weights = [], []

    def weight(name, *shape):
        value = (random.standard_normal(shape) / np.sqrt(shape[0] if len(shape) > 1 else 1)).astype(np.float32)
        weights.append(numpy_helper.from_array(value, name))
        return name

    def constant(name, value, kind=np.int64):
        weights.append(numpy_helper.from_array(np.array(value, kind), name))
        return name

    def node(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    # positions: the padding's id, then one more for each token that is not padding
    node("CumSum", ["attention_mask", constant("one_axis", 1)], "counted")
    node("Mul", ["counted", "attention_mask"], "masked")
    node("Add", ["masked", constant("pad", PAD)], "positions")
    node("Gather", [weight("words", vocabulary, HIDDEN), "input_ids"], "word")
    node("Gather", [weight("places", positions, HIDDEN), "positions"], "place")
    state = node("Add", ["word", "place"], "state0")
    node("Cast", ["attention_mask"], "is_token", to=TensorProto.FLOAT)
    node("Sub", [constant("one", 1, np.float32), "is_token"], "is_padding")
    node("Mul", ["is_padding", constant("far", -1e9, np.float32)], "bias")
    node("Unsqueeze", ["bias", constant("axes", [1, 2])], "mask")
    constant("split", [0, 0, HEADS, HIDDEN // HEADS])
    constant("join", [0, 0, HIDDEN])
    constant("scale", 1 / np.sqrt(HIDDEN / HEADS), np.float32)
    for layer in range(LAYERS):
        n = lambda name: f"{name}{layer}"
        for name, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
            node("MatMul", [state, weight(n(name + "w"), HIDDEN, HIDDEN)], n(name))
            node("Reshape", [n(name), "split"], n(name + "s"))
            node("Transpose", [n(name + "s")], n(name + "t"), perm=order)
        node("MatMul", [n("qt"), n("kt")], n("product"))
        node("Mul", [n("product"), "scale"], n("scaled"))
        node("Add", [n("scaled"), "mask"], n("biased"))
        node("Softmax", [n("biased")], n("part"), axis=-1)
        node("MatMul", [n("part"), n("vt")], n("seen"))
        node("Transpose", [n("seen")], n("heads"), perm=[0, 2, 1, 3])
        node("Reshape", [n("heads"), "join"], n("joined"))
        node("Add", [state, n("joined")], n("sum"))
        state = "last_hidden_state" if layer == LAYERS - 1 else n("next")
        node("Tanh", [n("sum")], state)
    ids = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in ("input_ids", "attention_mask")]
    states = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", HIDDEN])]
    model = helper.make_model(
        helper.make_graph(nodes, "multilingual", ids, states, weights), opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    return model


def write(folder, texts, most):
    tokens = tokenizer(texts)
    tokens.save(os.path.join(folder, "tokenizer.json"))
    onnx.save(graph(tokens.get_vocab_size(), most + PAD + 1), os.path.join(folder, "model.onnx"))
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump(
            {"architectures": ["XLMRobertaModel"], "model_type": "xlm-roberta", "hidden_size": HIDDEN,
             "max_position_embeddings": most + PAD + 1, "pad_token_id": PAD}, file)
