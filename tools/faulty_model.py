#!/usr/bin/env python3
"""Writes a GGUF model with one deliberate fault of the kind that a converter or a loader makes, to see whether
`redraft models check` notices it.

    tools/faulty_model.py --list
    tools/faulty_model.py MODEL FAULT OUT [--layer N]
    tools/faulty_model.py MODEL --calibrate [--layer N] [--faults A,B] [--redraft build/redraft]

Without --layer every layer has the fault. The file is changed in place, in a copy, so tensors keep their formats: those of
F32, F16, Q4_0, Q4_1, Q5_0, Q5_1 and Q8_0 can be changed in any way, those of other formats by whole rows only; a fault that
would need more is left out. --calibrate prints a table of the model as it is and with each fault. Needs the Python package
gguf (tools/reference/requirements.lock names a version).
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import gguf
    import numpy
except ImportError as error:
    sys.exit(f"faulty_model: error: {error}; install the packages gguf and numpy")


class NotApplicable(Exception):
    """The model has not what the fault changes, or not in a format that can be changed so."""


class Model:
    """The tensors and numbers of a GGUF file, changed in place."""

    def __init__(self, path, layer):
        self.reader = gguf.GGUFReader(path, "r+")
        self.tensors = {tensor.name: tensor for tensor in self.reader.tensors}
        self.architecture = bytes(self.reader.fields["general.architecture"].parts[-1]).decode()
        self.layers = range(self.number("block_count")) if layer is None else [layer]
        self.heads, self.kv_heads = self.number("attention.head_count"), self.number("attention.head_count_kv")
        self.head_dim = int(self.tensor("blk.0.attn_q.weight").shape[1]) // self.heads

    def field(self, name):
        field = self.reader.fields.get(f"{self.architecture}.{name}")
        if field is None:
            raise NotApplicable(f"the file has no {name}")
        return field

    def number(self, name):
        return self.field(name).parts[-1][0].item()

    def set_number(self, name, change):
        part = self.field(name).parts[-1]
        part[0] = change(part[0])

    def set_text(self, name, text):
        """Another text of the same length."""
        part = self.field(name).parts[-1]
        if len(part) != len(text):
            raise NotApplicable(f"{name} has another length than {text!r}")
        part[:] = numpy.frombuffer(text.encode(), numpy.uint8)

    def tensor(self, name):
        if name not in self.tensors:
            raise NotApplicable(f"the file has no {name}")
        return self.tensors[name]

    def of_layers(self, *names):
        """The tensors of these names, for each layer that gets the fault."""
        for layer in self.layers:
            yield tuple(self.tensor(f"blk.{layer}.{name}") for name in names)

    def values(self, tensor):
        return gguf.quants.dequantize(tensor.data, tensor.tensor_type)

    def set_values(self, tensor, values):
        try:
            tensor.data[:] = gguf.quants.quantize(values.astype(numpy.float32), tensor.tensor_type)
        except NotImplementedError as error:
            raise NotApplicable(f"{tensor.name} is {tensor.tensor_type.name}, which cannot be written") from error

    def change(self, tensor, function):
        self.set_values(tensor, function(self.values(tensor)))

    def permute(self, tensor, order):
        """Reorders rows; of a bias, numbers."""
        if tensor.data.ndim > 1:
            tensor.data[:] = tensor.data[order]
        else:
            self.change(tensor, lambda values: values[order])

    def exchange(self, one, other):
        if one.tensor_type != other.tensor_type or one.data.shape != other.data.shape:
            first, second = self.values(one), self.values(other)
            if first.shape != second.shape:
                raise NotApplicable(f"{one.name} and {other.name} have different shapes")
            self.set_values(one, second)
            self.set_values(other, first)
        else:
            first = one.data.copy()
            one.data[:] = other.data
            other.data[:] = first


def head_order(model, count, order_in_head):
    """The order of rows of `count` heads, each of them in another order."""
    return numpy.concatenate([head * model.head_dim + order_in_head for head in range(count)])


def interleaved(size):
    """From halves to pairs: 0, n/2, 1, n/2 + 1, ..."""
    return numpy.arange(size).reshape(2, -1).T.reshape(-1)


def split(size):
    """From pairs to halves: 0, 2, 4, ..., 1, 3, 5, ..."""
    return numpy.arange(size).reshape(-1, 2).T.reshape(-1)


def biases(model, name):
    return [model.tensors[name]] if name in model.tensors else []


def each_q(model):
    for layer in model.layers:
        yield from [model.tensor(f"blk.{layer}.attn_q.weight"), *biases(model, f"blk.{layer}.attn_q.bias")]


def each_k(model):
    for layer in model.layers:
        yield from [model.tensor(f"blk.{layer}.attn_k.weight"), *biases(model, f"blk.{layer}.attn_k.bias")]


# Architectures whose files have neighbours of a head in pairs.
IN_PAIRS = ("llama", "smollm3", "mistral3", "granite")


def wrong_rope_order(model, with_k=True):
    order = (split if model.architecture in IN_PAIRS else interleaved)(model.head_dim)
    for tensor in each_q(model):
        model.permute(tensor, head_order(model, model.heads, order))
    for tensor in each_k(model) if with_k else ():
        model.permute(tensor, head_order(model, model.kv_heads, order))


def swapped_heads(model):
    """The first two heads of the queries, without what reads their output."""
    order = numpy.arange(model.heads * model.head_dim)
    two = 2 * model.head_dim
    order[:two] = numpy.roll(order[:two], model.head_dim)
    for tensor in each_q(model):
        model.permute(tensor, order)


def rotated_heads(model):
    """Every query head is the next one, so that each reads the keys of its neighbour."""
    for tensor in each_q(model):
        model.permute(tensor, numpy.roll(numpy.arange(model.heads * model.head_dim), model.head_dim))


def interleaved_groups(model):
    """Query heads in the order of another mapping to the heads of keys."""
    if model.heads == model.kv_heads or model.kv_heads == 1:
        raise NotApplicable("each head has its own keys, or all have the same")
    heads = numpy.arange(model.heads).reshape(model.kv_heads, -1).T.reshape(-1)
    order = numpy.concatenate([head * model.head_dim + numpy.arange(model.head_dim) for head in heads])
    for tensor in each_q(model):
        model.permute(tensor, order)


def swapped_kv_heads(model):
    if model.kv_heads < 2:
        raise NotApplicable("there is one head of keys")
    for tensor in each_k(model):
        model.permute(tensor, numpy.roll(numpy.arange(model.kv_heads * model.head_dim), model.head_dim))


def swapped(*names):
    def apply(model):
        for one, other in model.of_layers(*names):
            model.exchange(one, other)
    return apply


def changed(name, function):
    def apply(model):
        for (tensor,) in model.of_layers(name):
            model.change(tensor, function)
    return apply


def transposed(name):
    def function(values):
        if values.shape[0] != values.shape[1]:
            raise NotApplicable(f"{name} is not square")
        return values.T
    return changed(name, function)


def shifted_layers(model):
    """Layer i has the matrices of layer i + 1, and the last one those of the first."""
    names = sorted(name.split(".", 2)[2] for name in model.tensors if name.startswith("blk.0."))
    layers = list(model.layers)
    if len(layers) == 1:
        layers = [layers[0], (layers[0] + 1) % model.number("block_count")]
    for name in names:
        for one, other in zip(layers, layers[1:]):
            model.exchange(model.tensor(f"blk.{one}.{name}"), model.tensor(f"blk.{other}.{name}"))


def whole(function):
    """A fault of the whole model, for which --layer means nothing."""
    def apply(model):
        if len(list(model.layers)) == 1:
            raise NotApplicable("it is a fault of the whole model")
        function(model)
    return apply


def rope_base(factor):
    def apply(model):
        name = "rope.freq_base"
        model.set_number(name, lambda base: base * factor)
    return whole(apply)


def another_base(model):
    """What llama.cpp takes where a file names none, or Qwen's."""
    model.set_number("rope.freq_base", lambda base: 1e6 if base <= 100_000 else 1e4)


def changed_number(name, function):
    return whole(lambda model: model.set_number(name, function))


def exchanged_bases(model):
    """Layers with a window rotate as the others should, and the others as those."""
    full, window = model.number("rope.freq_base"), model.number("rope.freq_base_swa")
    model.set_number("rope.freq_base", lambda _: window)
    model.set_number("rope.freq_base_swa", lambda _: full)


def exchanged_windows(model):
    """Layers that should have a window have none, and the others have one."""
    field = model.field("attention.sliding_window_pattern")
    for place in field.data:
        part = field.parts[place]
        part[0] = not part[0]


def swapped_norms(model):
    names = [name for name in ("ffn_norm.weight", "post_attention_norm.weight") if f"blk.0.{name}" in model.tensors]
    swapped("attn_norm.weight", *(names or ["ffn_norm.weight"]))(model)


def shifted_embeddings(model):
    tensor = model.tensor("token_embd.weight")
    tensor.data[:] = numpy.roll(tensor.data, 1, axis=0)


def output_norm(function):
    return whole(lambda model: model.change(model.tensor("output_norm.weight"), function))


def without_bias(model):
    for layer in model.layers:
        for name in ("attn_q.bias", "attn_k.bias", "attn_v.bias"):
            model.change(model.tensor(f"blk.{layer}.{name}"), numpy.zeros_like)


def reversed_columns(values):
    return values[:, ::-1]


FAULTS = {
    "swapped-heads": swapped_heads,
    "rotated-heads": rotated_heads,
    "interleaved-groups": interleaved_groups,
    "swapped-kv-heads": swapped_kv_heads,
    "rope-order": wrong_rope_order,
    "rope-order-of-q": lambda model: wrong_rope_order(model, with_k=False),
    "rope-base-other-family": whole(another_base),
    "rope-base-times-8": rope_base(8),
    "rope-base-eighth": rope_base(1 / 8),
    "norm-sign": changed("attn_norm.weight", numpy.negative),
    "norm-plus-one": changed("attn_norm.weight", lambda values: values + 1),
    "norm-minus-one": changed("attn_norm.weight", lambda values: values - 1),
    "norm-of-ones": changed("attn_norm.weight", numpy.ones_like),
    "swapped-norms": swapped_norms,
    "output-norm-of-ones": output_norm(numpy.ones_like),
    "output-norm-plus-one": output_norm(lambda values: values + 1),
    "norm-epsilon": changed_number("attention.layer_norm_rms_epsilon", lambda epsilon: 1e-1),
    "swapped-gate-up": swapped("ffn_gate.weight", "ffn_up.weight"),
    "swapped-k-v": swapped("attn_k.weight", "attn_v.weight"),
    "transposed-q": transposed("attn_q.weight"),
    "transposed-output": transposed("attn_output.weight"),
    "negative-down": changed("ffn_down.weight", numpy.negative),
    "reversed-down": changed("ffn_down.weight", reversed_columns),
    "double-values": changed("attn_v.weight", lambda values: 2 * values),
    "attention-scale": changed("attn_q.weight", lambda values: values / 8),
    "shifted-layers": shifted_layers,
    "shifted-embeddings": whole(shifted_embeddings),
    "without-bias": without_bias,
    # Scales of Granite.
    "without-embedding-scale": changed_number("embedding_scale", lambda scale: 1),
    "without-residual-scale": changed_number("residual_scale", lambda scale: 1),
    "without-attention-scale": changed_number("attention.scale", lambda scale: 0),
    "attention-scale-not-squared": changed_number("attention.scale", numpy.sqrt),
    "without-logit-scale": changed_number("logit_scale", lambda scale: 1),
    "inverse-logit-scale": changed_number("logit_scale", lambda scale: 1 / scale),
    # Of models with sliding windows.
    "without-window": changed_number("attention.sliding_window", lambda _: 1 << 20),
    "window-times-8": changed_number("attention.sliding_window", lambda window: 8 * window),
    "window-eighth": changed_number("attention.sliding_window", lambda window: window // 8),
    "exchanged-windows": whole(exchanged_windows),
    "exchanged-rope-bases": whole(exchanged_bases),
    "rope-base-of-windows": whole(lambda model: model.set_number("rope.freq_base_swa", lambda _: model.number("rope.freq_base"))),
    "without-yarn": whole(lambda model: model.set_text("rope.scaling.type", "none")),
    "without-rope-divisors": whole(lambda model: model.change(model.tensor("rope_freqs.weight"), numpy.ones_like)),
    "without-sinks": changed("attn_sinks.weight", lambda values: values - 1e30),
    "sinks-of-zero": changed("attn_sinks.weight", numpy.zeros_like),
    "without-output-scale": changed("layer_output_scale.weight", numpy.ones_like),
    # Of Mistral 3. Those of positions far away cannot be found in a short text.
    "without-temperature": changed_number("attention.temperature_scale", lambda scale: 0),
    "without-log-multiplier": changed_number("rope.scaling.yarn_log_multiplier", lambda scale: 0),
}


def write(source, fault, out, layer):
    shutil.copyfile(source, out)
    try:
        FAULTS[fault](Model(out, layer))
    except NotApplicable:
        pathlib.Path(out).unlink()
        raise


def check(program, path):
    run = subprocess.run([program, "models", "check", path, "--format", "json"], capture_output=True, text=True)
    if not run.stdout:
        return None, run.stderr.strip()
    return json.loads(run.stdout), run.stderr.strip()


def row(name, report, error):
    if report is None:
        return f"{name:24} does not load: {error}"
    found = {key: float("inf") if value is None else value for key, value in report["perplexity"].items()}
    figures = "".join(f"{found[key]:12.4g}" for key in ("code", "shuffled"))
    return f"{name:24}{figures}  {'caught' if report['faults'] else '-'}"


def calibrate(options):
    print(f"{'':24}{'code':>12}{'shuffled':>12}")
    print(row("sound", *check(options.redraft, options.model)), flush=True)
    for fault in options.faults.split(",") if options.faults else FAULTS:
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / f"{fault}.gguf"
            try:
                write(options.model, fault, out, options.layer)
            except NotApplicable as reason:
                print(f"{fault:24}left out: {reason}", flush=True)
                continue
            print(row(fault, *check(options.redraft, str(out))), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", help="a GGUF file")
    parser.add_argument("fault", nargs="?", choices=FAULTS, metavar="FAULT")
    parser.add_argument("out", nargs="?")
    parser.add_argument("--layer", type=int)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--calibrate", action="store_true")
    parser.add_argument("--faults", help="names between commas; default: all")
    parser.add_argument("--redraft", default="build/redraft")
    options = parser.parse_args()
    if options.list:
        print("\n".join(FAULTS))
    elif options.calibrate and options.model:
        calibrate(options)
    elif options.out:
        try:
            write(options.model, options.fault, options.out, options.layer)
        except NotApplicable as reason:
            sys.exit(f"faulty_model: error: {options.fault}: {reason}")
    else:
        parser.error("name a model, a fault and a file to write; or a model and --calibrate; or --list")


if __name__ == "__main__":
    main()
