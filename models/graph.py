"""The BERT encoder of all-MiniLM-L6-v2, spelled out as an ONNX graph.

The graph is run by two engines, ONNX Runtime and tract, so it keeps to plain operators of opset 17 which both of them
implement alike, and it avoids whatever one of them rewrites wrongly or slowly. Where an odd choice was made for an
engine's sake, the reason stands beside it.
"""

import math

import numpy as np
from onnx import TensorProto, helper, numpy_helper

LAYERS = 6
HEADS = 12
HIDDEN = 384
HEAD_SIZE = HIDDEN // HEADS
LAYER_NORM_EPSILON = 1e-12

# Added to the score of a padding token before the softmax. Finite, because -inf minus -inf is NaN; large enough that
# exp() of it is exactly zero, so padding cannot leak into a result.
MASKED_SCORE = -1e9

OPSET = 17
# What opset 17 was released with. Written down because the onnx package would otherwise put its own newest version,
# which older engines refuse and which would change the bytes of the file.
IR_VERSION = 8


def build_model(weights, quantised):
    """Returns the encoder as an `onnx.ModelProto`, in float32 or with int8 weights.

    `weights` maps the names of the original checkpoint to float32 arrays.
    """
    graph = GraphBuilder(quantised)
    mask = _attention_bias(graph)
    hidden = _embeddings(graph, weights)
    for layer in range(LAYERS):
        hidden = _encoder_layer(graph, weights, layer, hidden, mask)
    return graph.finish(hidden)


def quantise(values, axis):
    """Symmetric int8: returns `(int8, scales)` where all numbers along `axis` share one scale.

    No zero point, so that a weight of zero stays exactly zero, and -128 is left unused for the range to be symmetric.
    """
    scales = np.abs(values).max(axis=axis, keepdims=True).astype(np.float32) / np.float32(127)
    scales = np.maximum(scales, np.finfo(np.float32).tiny)
    return np.rint(values / scales).astype(np.int8), scales


def input_balance(matrix):
    """What to divide each row of an [in, out] matrix by so that outlying weights cost the others less precision.

    A few inputs have weights many times those of the rest, and a scale per output channel alone is set by them. Half of
    the imbalance, the square root, is moved over to the input; moving all of it makes the small ones the outliers.
    The largest error of a similarity fell from 0.0102 to 0.0064 by this (0.0079 with all of it).
    """
    per_output = matrix / np.abs(matrix).max(axis=0, keepdims=True)
    return np.sqrt(np.abs(per_output).max(axis=1, keepdims=True)).astype(np.float32)


class GraphBuilder:
    """Collects nodes and initialisers; every node is named after its only output."""

    def __init__(self, quantised):
        self.quantised = quantised
        self.nodes = []
        self.initialisers = {}

    def op(self, kind, inputs, name, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def constant(self, name, value):
        """Adds an initialiser. Asked again for the same name, it keeps the first: shared constants are stored once."""
        if name not in self.initialisers:
            self.initialisers[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def number(self, name, value):
        return self.constant(name, np.array(value, dtype=np.float32))

    def integers(self, name, values):
        return self.constant(name, np.array(values, dtype=np.int64))

    def finish(self, hidden):
        axes = ["batch", "sequence"]
        inputs = ["input_ids", "attention_mask", "token_type_ids"]
        self.op("Identity", [hidden], "last_hidden_state")
        graph = helper.make_graph(
            self.nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info(name, TensorProto.INT64, axes) for name in inputs],
            [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*axes, HIDDEN])],
            list(self.initialisers.values()),
        )
        return helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
            producer_name="kb models/build.py",
        )


def _attention_bias(graph):
    """[batch, sequence] of ones and zeros -> [batch, 1, 1, sequence] of zeros and `MASKED_SCORE`."""
    mask = graph.op("Unsqueeze", ["attention_mask", graph.integers("mask.axes", [1, 2])], "mask.unsqueezed")
    mask = graph.op("Cast", [mask], "mask.float", to=TensorProto.FLOAT)
    mask = graph.op("Sub", [graph.number("one", 1.0), mask], "mask.inverted")
    return graph.op("Mul", [mask, graph.number("mask.score", MASKED_SCORE)], "mask.bias")


def _embeddings(graph, weights):
    words = _word_embeddings(graph, weights["embeddings.word_embeddings.weight"])
    table = weights["embeddings.token_type_embeddings.weight"]
    types = graph.op(
        "Gather",
        [graph.constant("embeddings.type.weight", table), "token_type_ids"],
        "embeddings.type",
    )
    positions = _position_embeddings(graph, weights["embeddings.position_embeddings.weight"])
    total = graph.op("Add", [words, types], "embeddings.words_and_types")
    total = graph.op("Add", [total, positions], "embeddings.sum")
    return _layer_norm(graph, weights, "embeddings.LayerNorm", "embeddings.norm", total)


def _word_embeddings(graph, table):
    if not graph.quantised:
        return graph.op("Gather", [graph.constant("embeddings.word.weight", table), "input_ids"], "embeddings.word")
    # Rows are picked as int8 and only those are widened. DequantizeLinear before the Gather would say the same, but an
    # engine folds it while loading: 12 million numbers to convert and 47 MB to hold before the first answer.
    values, scales = quantise(table, axis=1)
    rows = graph.op("Gather", [graph.constant("embeddings.word.int8", values), "input_ids"], "embeddings.word.row")
    rows = graph.op("Cast", [rows], "embeddings.word.row_float", to=TensorProto.FLOAT)
    scale = graph.op(
        "Gather", [graph.constant("embeddings.word.scale", scales), "input_ids"], "embeddings.word.row_scale"
    )
    return graph.op("Mul", [rows, scale], "embeddings.word")


def _position_embeddings(graph, table):
    # A Slice of the table up to the sequence length. The usual Range and Gather are taken by ONNX Runtime's fusion for
    # a pattern which they do not quite match, and the result is wrong. The table stays float32: it is 3 % of the file.
    shape = graph.op("Shape", ["input_ids"], "positions.shape")
    length = graph.op(
        "Slice",
        [shape, graph.integers("positions.one", [1]), graph.integers("positions.two", [2])],
        "positions.length",
    )
    zero = graph.integers("positions.zero", [0])
    return graph.op(
        "Slice", [graph.constant("embeddings.position.weight", table), zero, length, zero], "embeddings.position"
    )


def _encoder_layer(graph, weights, index, hidden, mask):
    source = f"encoder.layer.{index}"
    name = f"layer{index}"
    attended = _attention(graph, weights, f"{source}.attention", f"{name}.attention", hidden, mask)
    hidden = graph.op("Add", [attended, hidden], f"{name}.attention.residual")
    hidden = _layer_norm(graph, weights, f"{source}.attention.output.LayerNorm", f"{name}.attention.norm", hidden)
    wide = _linear(graph, weights, f"{source}.intermediate.dense", f"{name}.wide", hidden)
    wide = _gelu(graph, f"{name}.gelu", wide)
    narrow = _linear(graph, weights, f"{source}.output.dense", f"{name}.narrow", wide)
    hidden = graph.op("Add", [narrow, hidden], f"{name}.residual")
    return _layer_norm(graph, weights, f"{source}.output.LayerNorm", f"{name}.norm", hidden)


def _attention(graph, weights, source, name, hidden, mask):
    query = _linear(graph, weights, f"{source}.self.query", f"{name}.query", hidden)
    # Dividing the query rather than the scores: as many numbers as there are tokens, not as there are pairs of them.
    scale = graph.number("attention.scale", 1 / math.sqrt(HEAD_SIZE))
    query = graph.op("Mul", [query, scale], f"{name}.query.scaled_down")
    key = _linear(graph, weights, f"{source}.self.key", f"{name}.key", hidden)
    value = _linear(graph, weights, f"{source}.self.value", f"{name}.value", hidden)
    query = _split_heads(graph, f"{name}.query", query, [0, 2, 1, 3])
    key = _split_heads(graph, f"{name}.key", key, [0, 2, 3, 1])
    value = _split_heads(graph, f"{name}.value", value, [0, 2, 1, 3])

    scores = graph.op("MatMul", [query, key], f"{name}.scores")
    scores = graph.op("Add", [scores, mask], f"{name}.scores.masked")
    shares = graph.op("Softmax", [scores], f"{name}.shares", axis=-1)
    context = graph.op("MatMul", [shares, value], f"{name}.context")
    context = graph.op("Transpose", [context], f"{name}.context.by_token", perm=[0, 2, 1, 3])
    context = graph.op(
        "Reshape", [context, graph.integers("heads.merged", [0, 0, HIDDEN])], f"{name}.context.merged"
    )
    return _linear(graph, weights, f"{source}.output.dense", f"{name}.output", context)


def _split_heads(graph, name, value, order):
    # A zero keeps the dimension of the input, so batch and sequence stay free.
    shape = graph.integers("heads.split", [0, 0, HEADS, HEAD_SIZE])
    value = graph.op("Reshape", [value, shape], f"{name}.split")
    return graph.op("Transpose", [value], f"{name}.heads", perm=order)


def _linear(graph, weights, source, name, value):
    # The checkpoint has [out, in]; MatMul wants [in, out]. Turned here, once, and not in every process that loads it.
    matrix = weights[f"{source}.weight"].T
    if graph.quantised:
        product = _int8_product(graph, name, value, matrix)
    else:
        product = graph.op("MatMul", [value, graph.constant(f"{name}.weight", matrix)], f"{name}.product")
    return graph.op("Add", [product, graph.constant(f"{name}.bias", weights[f"{source}.bias"])], name)


def _int8_product(graph, name, value, matrix):
    """value @ matrix, with int8 in the file between a scale per input and a scale per output channel.

    Not DequantizeLinear: ONNX Runtime turns that, before a MatMul, into its MatMulNBits, which rounds the activations
    to int8 as well. Its vectors then differ from those of tract, and a store written by one engine is searched less
    well by the other. Here both widen the weights once while loading and compute alike.

    The scales are applied to what goes in and what comes out, not to the weights, because then only the Cast has to run
    over the weights at load: 40 ms less in tract and 35 ms less in ONNX Runtime. Each text takes 2 to 3 % longer.
    """
    balance = input_balance(matrix)
    values, scales = quantise(matrix / balance, axis=0)
    value = graph.op("Mul", [value, graph.constant(f"{name}.in_scale", balance[:, 0])], f"{name}.balanced")
    wide = graph.op("Cast", [graph.constant(f"{name}.int8", values)], f"{name}.weight", to=TensorProto.FLOAT)
    product = graph.op("MatMul", [value, wide], f"{name}.product")
    return graph.op("Mul", [product, graph.constant(f"{name}.out_scale", scales[0])], f"{name}.product.scaled")


def _layer_norm(graph, weights, source, name, value):
    # Spelled out rather than LayerNormalization. Pow, not Mul, because that is the form ONNX Runtime knows to fuse.
    mean = graph.op("ReduceMean", [value], f"{name}.mean", axes=[-1], keepdims=1)
    centred = graph.op("Sub", [value, mean], f"{name}.centred")
    square = graph.op("Pow", [centred, graph.number("two", 2.0)], f"{name}.square")
    variance = graph.op("ReduceMean", [square], f"{name}.variance", axes=[-1], keepdims=1)
    variance = graph.op("Add", [variance, graph.number("norm.epsilon", LAYER_NORM_EPSILON)], f"{name}.variance.safe")
    deviation = graph.op("Sqrt", [variance], f"{name}.deviation")
    scaled = graph.op("Div", [centred, deviation], f"{name}.scaled")
    weight = graph.constant(f"{name}.weight", weights[f"{source}.weight"])
    scaled = graph.op("Mul", [scaled, weight], f"{name}.weighted")
    return graph.op("Add", [scaled, graph.constant(f"{name}.bias", weights[f"{source}.bias"])], name)


def _gelu(graph, name, value):
    """The exact form, x * (1 + erf(x / sqrt 2)) / 2, which the model was trained with; not the tanh approximation."""
    inner = graph.op("Div", [value, graph.number("gelu.sqrt2", math.sqrt(2))], f"{name}.inner")
    inner = graph.op("Erf", [inner], f"{name}.erf")
    inner = graph.op("Add", [inner, graph.number("one", 1.0)], f"{name}.plus_one")
    product = graph.op("Mul", [value, inner], f"{name}.product")
    return graph.op("Mul", [product, graph.number("half", 0.5)], name)
