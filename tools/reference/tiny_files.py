"""Shared by the scripts that make tiny models: what a reference says about one, and where it is stored."""

import json

import torch
import transformers


def golden(ids, logits):
    """ids [tokens], logits [tokens, vocabulary] in fp32."""
    return {
        "made_with": f"transformers {transformers.__version__}, torch {torch.__version__.split('+')[0]}, fp32",
        "ids": ids.tolist(),
        "logits": [[float(f"{value:.7g}") for value in row] for row in logits.tolist()],
    }


def finish_gguf(writer):
    """Writes the file of gguf's writer, once it has all keys and tensors."""
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_json(file, value):
    file.write_text(json.dumps(value, separators=(",", ":")) + "\n", encoding="utf-8")


def write_golden(target, value):
    """Writes logits.json, and says how large the model's folder is."""
    write_json(target / "logits.json", value)
    logits = torch.tensor(value["logits"])
    print(f"{target.name}: logits {logits.min():.2f}..{logits.max():.2f}, "
          f"{sum(p.stat().st_size for p in target.iterdir()) / 1024:.0f} KiB")
