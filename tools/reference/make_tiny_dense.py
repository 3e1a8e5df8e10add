#!/usr/bin/env python3
"""Makes tiny models of SmolLM3, Mistral 3, Granite and Seed-OSS, and the logits that they should give.

Like make_tiny_hybrids.py: random weights from a fixed seed, written as a folder and as a GGUF file with the names and
keys of llama.cpp's converter. transformers reads the folder back, so it also decides what config.json means.
--converter compares the GGUF files with those of llama.cpp's own converter (the folder of convert_hf_to_gguf.py).

    VENV/bin/pip install -r tools/reference/requirements-hybrids.lock
    VENV/bin/python tools/reference/make_tiny_dense.py tests/cases/tiny_models [--converter LLAMA_CPP]
"""

import argparse
import dataclasses
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import gguf
import torch
import transformers

from gguf_names import gguf_name, to_pairs
from tiny_files import finish_gguf, golden, write_golden

TOKENS = 32
SIZES = {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2,
         "num_key_value_heads": 1, "max_position_embeddings": 256, "rms_norm_eps": 1e-6,
         "pad_token_id": None, "bos_token_id": None, "eos_token_id": None}
SMOLLM3 = (transformers.SmolLM3Config, transformers.SmolLM3ForCausalLM, "smollm3")
MISTRAL3 = (transformers.Ministral3Config, transformers.Ministral3ForCausalLM, "mistral3")
GRANITE = (transformers.GraniteConfig, transformers.GraniteForCausalLM, "granite")
SEED_OSS = (transformers.SeedOssConfig, transformers.SeedOssForCausalLM, "seed_oss")
FILE_TYPES = {torch.float32: gguf.GGMLQuantizationType.F32, torch.float16: gguf.GGMLQuantizationType.F16,
              torch.bfloat16: gguf.GGMLQuantizationType.BF16}


@dataclasses.dataclass(frozen=True)
class Tiny:
    family: tuple
    dtype: torch.dtype
    differences: dict  # from SIZES
    dropped: tuple = ()  # keys of config.json that older files do not have
    folder: bool = True
    gguf: bool = True
    sees: bool = False  # is the text part of a model that sees
    rotates: bool = True
    converted: bool = True  # llama.cpp's converter takes the folder


MODELS = {
    "smollm3": Tiny(SMOLLM3, torch.bfloat16, {
        "num_hidden_layers": 5, "rope_parameters": {"rope_type": "default", "rope_theta": 5e6}}),
    # No GGUF file can say this: llama.cpp always takes every fourth layer.
    "smollm3_list": Tiny(SMOLLM3, torch.float16, {
        "num_hidden_layers": 3, "no_rope_layers": [0, 1, 0, 1], "attention_bias": True, "mlp_bias": True,
        "tie_word_embeddings": False,
        "rope_parameters": {"rope_type": "linear", "rope_theta": 1e4, "factor": 2.5}}, gguf=False),
    "smollm3_interval": Tiny(SMOLLM3, torch.float16, {"no_rope_layer_interval": 2}, gguf=False,
                             dropped=("no_rope_layers", "layer_types", "tie_word_embeddings", "rope_parameters")),
    # Temperature and attention factor are larger than published ones, so that the logits depend on them.
    "mistral3": Tiny(MISTRAL3, torch.float32, {
        "head_dim": 32, "rope_parameters": {
            "rope_type": "yarn", "rope_theta": 1e4, "factor": 16.0, "original_max_position_embeddings": 8,
            "beta_fast": 4.0, "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 0.7, "llama_4_scaling_beta": 0.25}}),
    "mistral3_seeing": Tiny(MISTRAL3, torch.bfloat16, {
        "head_dim": 16, "num_attention_heads": 4, "num_key_value_heads": 2, "rope_parameters": {
            "rope_type": "yarn", "rope_theta": 1e6, "factor": 48.0, "original_max_position_embeddings": 5,
            "beta_fast": 32.0, "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0, "llama_4_scaling_beta": 0.1}},
        sees=True),
    "mistral3_plain": Tiny(MISTRAL3, torch.float16, {
        "head_dim": 16, "tie_word_embeddings": True, "rope_parameters": {
            "rope_type": "default", "rope_theta": 1e5, "original_max_position_embeddings": 8, "llama_4_scaling_beta": 0.0}},
        converted=False),
    "granite": Tiny(GRANITE, torch.float32, {
        "embedding_multiplier": 2.5, "residual_multiplier": 0.7, "attention_multiplier": 0.4, "logits_scaling": 6.5,
        "tie_word_embeddings": True, "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}),
    "granite_biased": Tiny(GRANITE, torch.bfloat16, {
        "attention_bias": True, "mlp_bias": True, "attention_multiplier": 0.125, "tie_word_embeddings": False,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e5}},
        dropped=("embedding_multiplier", "residual_multiplier", "logits_scaling")),
    "granite_unrotated": Tiny(GRANITE, torch.float16, {
        "embedding_multiplier": 3.0, "residual_multiplier": 0.5, "attention_multiplier": 0.3, "logits_scaling": 0.5,
        "tie_word_embeddings": False, "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}},
        folder=False, rotates=False),
    "seed_oss": Tiny(SEED_OSS, torch.float32, {
        "head_dim": 32, "tie_word_embeddings": False, "rope_parameters": {"rope_type": "default", "rope_theta": 1e7}}),
    "seed_oss_biased": Tiny(SEED_OSS, torch.bfloat16, {
        "head_dim": 16, "attention_bias": False, "attention_out_bias": True, "mlp_bias": True, "tie_word_embeddings": True,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}),
}


def make_model(tiny, seed):
    """The model, with weights large enough for logits to differ; they fit the type exactly."""
    config_class, model_class, _ = tiny.family
    config = config_class(**{**SIZES, **tiny.differences})
    model = model_class(config)
    random = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        values = torch.randn(parameter.shape, generator=random)
        if name.endswith("norm.weight"):
            values = 1 + values / 4
        elif parameter.dim() == 2 and "embed" not in name:
            values *= 1.5 / math.sqrt(parameter.shape[1])
        parameter.data = values.to(tiny.dtype)
    model.tie_weights()
    return model.eval()


def with_vision(text):
    """A model that sees, with `text` as its language model."""
    seeing = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 1,
              "num_channels": 3, "image_size": 4, "patch_size": 2, "head_dim": 16}
    config = transformers.Mistral3Config(text_config=text.config, vision_config=transformers.PixtralVisionConfig(**seeing),
                                         image_token_index=3, tie_word_embeddings=False)
    model = transformers.Mistral3ForConditionalGeneration(config)
    model.model.language_model.load_state_dict(text.model.state_dict())
    model.lm_head.load_state_dict(text.lm_head.state_dict())
    return model.to(text.dtype).eval()


def save(tiny, model, target):
    (with_vision(model) if tiny.sees else model).save_pretrained(target)
    (target / "generation_config.json").unlink(missing_ok=True)
    file = target / "config.json"
    config = json.loads(file.read_text(encoding="utf-8"))
    for key in tiny.dropped:
        config.pop(key, None)
    file.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def run(tiny, model, folder, seed):
    """The logits, of the model as transformers reads it from the folder."""
    if tiny.folder:
        kind = transformers.Mistral3ForConditionalGeneration if tiny.sees else tiny.family[1]
        model = kind.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    else:
        model = model.float()
    if not tiny.rotates:
        model.model.rotary_emb.inv_freq.zero_()
    ids = torch.randint(SIZES["vocab_size"], (TOKENS,), generator=torch.Generator().manual_seed(seed))
    with torch.inference_mode():
        return golden(ids, model(ids[None], use_cache=False).logits[0])


def head_dim_of(config):
    return getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads


def write_rope(writer, config):
    rope = config.rope_parameters
    writer.add_rope_freq_base(rope["rope_theta"])
    if rope["rope_type"] != "yarn":
        return
    writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
    writer.add_rope_scaling_factor(rope["factor"])
    writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
    writer.add_rope_scaling_yarn_beta_fast(rope["beta_fast"])
    writer.add_rope_scaling_yarn_beta_slow(rope["beta_slow"])
    writer.add_rope_scaling_yarn_log_mul(rope["mscale_all_dim"])
    writer.add_attn_temperature_scale(rope["llama_4_scaling_beta"])


def write_keys(writer, tiny, config):
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    if tiny.family != SEED_OSS:
        writer.add_vocab_size(config.vocab_size)
    write_rope(writer, config)
    if getattr(config, "head_dim", None):
        writer.add_key_length(head_dim_of(config))
        writer.add_value_length(head_dim_of(config))
    if tiny.family != SEED_OSS:
        writer.add_rope_dimension_count(head_dim_of(config))
    if tiny.family == GRANITE:
        writer.add_attention_scale(config.attention_multiplier)
        writer.add_embedding_scale(config.embedding_multiplier)
        writer.add_residual_scale(config.residual_multiplier)
        writer.add_logit_scale(config.logits_scaling)
        if not tiny.rotates:
            writer.add_rope_scaling_finetuned(False)


def write_gguf(tiny, model, path):
    writer = gguf.GGUFWriter(path, tiny.family[2])
    write_keys(writer, tiny, model.config)
    for name, parameter in model.named_parameters():
        values = parameter.detach().float()
        if tiny.family != SEED_OSS and ("q_proj" in name or "k_proj" in name):
            values = to_pairs(values, head_dim_of(model.config))
        role = gguf_name(name)
        if tiny.family == SEED_OSS:
            role = role.replace("ffn_norm", "post_attention_norm")
        kind = FILE_TYPES[torch.float32 if values.dim() == 1 else tiny.dtype]
        writer.add_tensor(role, gguf.quants.quantize(values.contiguous().numpy(), kind), raw_dtype=kind)
    finish_gguf(writer)


def contents(path):
    """The keys and tensors of a GGUF file that a model's arithmetic depends on."""
    reader = gguf.GGUFReader(path)
    architecture = reader.fields["general.architecture"].contents()
    keys = {name: field.contents() for name, field in reader.fields.items() if name.startswith(architecture + ".")}
    tensors = {tensor.name: gguf.quants.dequantize(tensor.data, tensor.tensor_type) for tensor in reader.tensors}
    return keys, tensors


# Runs with llama.cpp's own package gguf. The converter wants a vocabulary, which tests do not need.
CONVERT = """
import pathlib, sys
import conversion, gguf
folder, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
name = conversion.get_model_architecture(conversion.ModelBase.load_hparams(folder, False), conversion.ModelType.TEXT)
model = conversion.get_model_class(name)(folder, gguf.LlamaFileType.ALL_F32, out)
for each in (model, getattr(model, 'impl', model)):
    each.set_vocab = lambda: None
model.write()
"""


def compare_with_converter(converter, target):
    """Whether llama.cpp's converter makes another file of the folder."""
    with tempfile.TemporaryDirectory() as temporary:
        out = pathlib.Path(temporary) / "model.gguf"
        paths = os.pathsep.join([str(converter), str(converter / "gguf-py")])
        subprocess.run([sys.executable, "-c", CONVERT, target.resolve(), out], check=True, stderr=subprocess.DEVNULL,
                       env={**os.environ, "PYTHONPATH": paths})
        (keys, tensors), (our_keys, our_tensors) = contents(out), contents(target / "model.gguf")
    wrong = [key for key in our_keys if keys.get(key) != our_keys[key]]
    wrong += [name for name in tensors.keys() | our_tensors.keys()
              if name not in tensors or name not in our_tensors or (tensors[name] != our_tensors[name]).any()]
    print("  " + (f"differs from the converter's in {wrong}" if wrong else "as the converter writes it")
          + f"; it also writes {sorted(keys.keys() - our_keys.keys())}")
    return bool(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--converter", type=pathlib.Path, metavar="LLAMA_CPP")
    options = parser.parse_args()
    wrong = False
    for seed, (name, tiny) in enumerate(MODELS.items(), start=1300):
        target = options.folder / name
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        model = make_model(tiny, seed)
        if tiny.folder:
            save(tiny, model, target)
        if tiny.gguf:
            write_gguf(tiny, model, target / "model.gguf")
        write_golden(target, run(tiny, model, target, seed))
        if options.converter and tiny.folder and tiny.gguf and tiny.converted:
            wrong |= compare_with_converter(options.converter, target)
    if wrong:
        sys.exit("make_tiny_dense: error: llama.cpp's converter writes other files")


if __name__ == "__main__":
    main()
