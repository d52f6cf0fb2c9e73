"""Measures a built model: similarities of the reference texts, padding, and whether the two engines agree.

Text becomes a vector here as it does in `kb`: at most `MAX_LENGTH` tokens, the mean of the hidden states over the
attention mask, scaled to length one.
"""

import itertools

import numpy as np
import onnxruntime
import tract
from tokenizers import Tokenizer

MAX_LENGTH = 256
INPUTS = ["input_ids", "attention_mask", "token_type_ids"]


def load_tokenizer(path):
    tokenizer = Tokenizer.from_file(str(path))
    # The file asks for 128 tokens, always padded to 128: left over from training, and not what the model is run with.
    tokenizer.enable_truncation(MAX_LENGTH)
    tokenizer.enable_padding()
    return tokenizer


class OnnxRuntime:
    name = "ONNX Runtime"

    def __init__(self, model_path):
        self.session = onnxruntime.InferenceSession(str(model_path), providers=["CPUExecutionProvider"])

    def run(self, inputs):
        return self.session.run(None, inputs)[0]


class Tract:
    name = "tract"

    def __init__(self, model_path):
        self.runnable = tract.onnx().load(str(model_path)).into_model().into_runnable()

    def run(self, inputs):
        return self.runnable.run([inputs[name] for name in INPUTS])[0].to_numpy()


def embed(engine, tokenizer, texts):
    """One batch, padded to its longest text. Returns [text, 384], each row of length one."""
    encodings = tokenizer.encode_batch(texts)
    fields = zip(INPUTS, ["ids", "attention_mask", "type_ids"])
    inputs = {name: np.array([getattr(e, field) for e in encodings], dtype=np.int64) for name, field in fields}
    mask = inputs["attention_mask"][:, :, None].astype(np.float32)
    vectors = (engine.run(inputs) * mask).sum(axis=1) / mask.sum(axis=1)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def embed_alone(engine, tokenizer, texts):
    """The same without padding: every text is a batch of its own."""
    return np.concatenate([embed(engine, tokenizer, [text]) for text in texts])


def pair_similarities(engine, tokenizer, pairs):
    first, second = ([pair[side] for pair in pairs] for side in "ab")
    return (embed(engine, tokenizer, first) * embed(engine, tokenizer, second)).sum(axis=1)


def distinct_texts(pairs):
    return list(dict.fromkeys(itertools.chain.from_iterable((pair["a"], pair["b"]) for pair in pairs)))


def lowest_cosine(left, right):
    return float((left * right).sum(axis=1).min())


def similarity_differences(left, right):
    """How far each similarity of two different texts is from one set of vectors to the other."""
    upper = np.triu_indices(len(left), k=1)
    return np.abs(left @ left.T - right @ right.T)[upper]
