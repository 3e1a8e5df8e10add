#!/usr/bin/env python3
"""vLLM on this machine's processor, for vllm_test.py and bench/remote_bench.py, with the 0.5B model.

    tests/serving/vllm/vllm_server.py PORT [none | ngram | redraft]     runs a server until it is interrupted

Its environment (6 GB) is made on first use, in the cache folder; so is the model's folder (1.3 GB), from the GGUF file.
"""

import contextlib
import hashlib
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tools"))

from setup_steps.common import cache_directory, data_directory  # noqa: E402

LOCK = pathlib.Path(__file__).with_name("vllm.lock")
GGUF = data_directory() / "models" / "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
MODEL = "qwen2.5-coder-0.5b"
LONGEST_DRAFT = 28
DRAFTS = {
    "none": None,
    "ngram": {"method": "ngram", "prompt_lookup_max": 5, "prompt_lookup_min": 2, "num_speculative_tokens": LONGEST_DRAFT},
    "redraft": {"method": "custom_class", "model": "redraft_vllm.RedraftProposer", "num_speculative_tokens": LONGEST_DRAFT},
}
START_SECONDS = 900


def why_not():
    """Why vLLM cannot run here; None: it can."""
    if platform.machine() != "x86_64" or sys.version_info[:2] != (3, 11):
        return "the packages of vllm.lock are for Python 3.11 on x86-64"
    if not GGUF.exists():
        return f"{GGUF.name} is not installed"
    return None


def environment():
    """The Python of vLLM's environment."""
    folder = cache_directory() / "venv-vllm"
    python = folder / "bin" / "python"
    stamp = folder / "redraft-lock"
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text() != digest:
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
                        "--only-binary=:all:", "--require-hashes", "-r", LOCK], check=True)
        stamp.write_text(digest)
    return python


def model_folder():
    """The model as vLLM reads it."""
    folder = cache_directory() / "vllm-models" / MODEL
    if not (folder / "model.safetensors").exists():
        with tempfile.TemporaryDirectory(dir=_made(folder.parent)) as made:
            script = pathlib.Path(__file__).with_name("huggingface_folder.py")
            subprocess.run([environment(), script, GGUF, made], check=True)
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(made, folder)
    return folder


def proposer_site():
    """A folder with the package redraft-vllm, compiled from this checkout."""
    site = _made(REPOSITORY / "build" / "vllm-site")
    for command in (["wheel", "--no-build-isolation", "--wheel-dir", site, "-C", f"build-dir={REPOSITORY / 'build/wheel'}",
                     REPOSITORY / "serving/python"],
                    ["install", "--no-index", "--upgrade", "--target", site, "--find-links", site, "redraft-vllm"]):
        subprocess.run([REPOSITORY / "tests/python.sh", "-m", "pip", command[0], "--quiet", "--disable-pip-version-check",
                        "--no-deps", *command[1:]], check=True)
    return site


def _made(folder):
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def command(port, drafts):
    speculation = DRAFTS[drafts]
    return [environment(), "-m", "vllm.entrypoints.openai.api_server", "--model", model_folder(), "--served-model-name", MODEL,
            "--host", "127.0.0.1", "--port", str(port), "--dtype", "bfloat16", "--max-model-len", "8192", "--max-num-seqs", "4",
            "--enforce-eager", *(["--speculative-config", json.dumps(speculation)] if speculation else [])]


def surroundings(drafts):
    own = {"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1", "VLLM_CPU_KVCACHE_SPACE": "1",
           "VLLM_CPU_OMP_THREADS_BIND": "nobind", "OMP_NUM_THREADS": str(os.cpu_count())}
    if drafts == "redraft":
        own["PYTHONPATH"] = str(proposer_site())
    return {**os.environ, **own}


@contextlib.contextmanager
def running(port, drafts, log):
    """The server's address, once it answers. `log` takes what it prints."""
    address = f"http://127.0.0.1:{port}"
    # vLLM starts processes of its own: they end with their group.
    process = subprocess.Popen(list(map(str, command(port, drafts))), env=surroundings(drafts), stdout=log,
                               stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        end = time.monotonic() + START_SECONDS
        while not answers(address):
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("vLLM did not start")
            time.sleep(1)
        yield address
    finally:
        _end(process)


def _end(process):
    for signal in (15, 9):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            continue


def answers(address):
    try:
        return urllib.request.urlopen(address + "/health", timeout=5).status == 200
    except OSError:
        return False


def counter(address, name):
    """A counter of the server's, by its name in /metrics."""
    text = urllib.request.urlopen(address + "/metrics", timeout=30).read().decode()
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
               if line.startswith((name + " ", name + "{")))


if __name__ == "__main__":
    if why_not() or not 2 <= len(sys.argv) <= 3 or sys.argv[-1] not in [*DRAFTS, sys.argv[1]]:
        sys.exit(why_not() or __doc__)
    chosen = sys.argv[2] if len(sys.argv) == 3 else "none"
    os.execve(str(environment()), list(map(str, command(sys.argv[1], chosen))), surroundings(chosen))
