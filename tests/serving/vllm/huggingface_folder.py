"""Makes a folder as Hugging Face's tools write it of a GGUF file of the qwen2 architecture, its weights as bfloat16: vLLM
serves that without a plugin. Runs in vLLM's own environment, which has torch, transformers and gguf."""

import json
import pathlib
import sys

import gguf
import torch
from safetensors.torch import save_file
from transformers import AutoTokenizer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools" / "reference"))

from gguf_names import transformers_name  # noqa: E402


def _config(reader, tensors):
    def value(key):
        return reader.fields[key].contents()

    return {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "hidden_size": value("qwen2.embedding_length"),
        "intermediate_size": value("qwen2.feed_forward_length"),
        "num_hidden_layers": value("qwen2.block_count"),
        "num_attention_heads": value("qwen2.attention.head_count"),
        "num_key_value_heads": value("qwen2.attention.head_count_kv"),
        "max_position_embeddings": value("qwen2.context_length"),
        "rms_norm_eps": value("qwen2.attention.layer_norm_rms_epsilon"),
        "rope_theta": value("qwen2.rope.freq_base"),
        "vocab_size": tensors["model.embed_tokens.weight"].shape[0],
        "eos_token_id": value("tokenizer.ggml.eos_token_id"),
        "hidden_act": "silu",
        "tie_word_embeddings": "lm_head.weight" not in tensors,
        "torch_dtype": "bfloat16",
    }


def main(source, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    reader = gguf.GGUFReader(source)
    tensors = {transformers_name(each.name): torch.tensor(gguf.dequantize(each.data, each.tensor_type)).to(torch.bfloat16)
               for each in reader.tensors}
    AutoTokenizer.from_pretrained(str(pathlib.Path(source).parent),
                                  gguf_file=pathlib.Path(source).name).save_pretrained(folder)
    (folder / "config.json").write_text(json.dumps(_config(reader, tensors), indent=1))
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


if __name__ == "__main__":
    main(*sys.argv[1:])
