#!/usr/bin/env python3
"""Makes the goldens of tuning/: what PEFT, transformers and torch do with low-rank adapters on the tiny models.

For each model it writes a random adapter as PEFT saves it, the losses of a batch of texts, their gradients, and the
adapter after some steps of torch's AdamW with clipped gradients and transformers' cosine schedule. The environment is
that of make_goldens.py.

    VENV/bin/python tools/reference/make_tuning_goldens.py tests/cases/tiny_models tests/cases/tuning
"""

import argparse
import json
import pathlib
import shutil

import peft
import safetensors.torch
import torch
import transformers

MODELS = ("qwen2", "llama3")
RANK, ALPHA = 4, 8
LINEARS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
LENGTHS = (17, 30, 9)
RUN = {"steps": 6, "warmup": 2, "learning_rate": 0.02, "weight_decay": 0.1, "max_length": 1.0}


def make_texts(vocabulary, random):
    texts = []
    for length in LENGTHS:
        tokens = torch.randint(vocabulary, (length,), generator=random).tolist()
        learnt = [p for p in range(1, length) if torch.rand((), generator=random) < 0.5 or p == length - 1]
        texts.append({"tokens": tokens, "learnt": learnt})
    return texts


def losses_of(model, texts):
    """Of each text the sum of the losses of its learnt tokens."""
    sums = []
    for text in texts:
        ids = torch.tensor(text["tokens"])
        logits = model(ids[None], use_cache=False).logits[0]
        learnt = torch.tensor(text["learnt"])
        sums.append(torch.nn.functional.cross_entropy(logits[learnt - 1], ids[learnt], reduction="sum"))
    return sums


def batch_loss(model, texts):
    return sum(losses_of(model, texts)) / sum(len(text["learnt"]) for text in texts)


def file_name(name):
    """What PEFT calls a parameter in its files."""
    return name.replace(".default.", ".")


def trained(model):
    return {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}


def save(tensors, file):
    safetensors.torch.save_file({file_name(name): tensor.detach().clone().contiguous() for name, tensor in tensors.items()}, file)


def make(models, name, target):
    random = torch.Generator().manual_seed(len(name))
    base = transformers.AutoModelForCausalLM.from_pretrained(models / name, dtype=torch.float32,
                                                             attn_implementation="eager")
    config = peft.LoraConfig(r=RANK, lora_alpha=ALPHA, lora_dropout=0.0, target_modules=LINEARS, task_type="CAUSAL_LM")
    model = peft.get_peft_model(base, config).train()
    for parameter in trained(model).values():
        parameter.data = 0.2 * torch.randn(parameter.shape, generator=random)
    texts = make_texts(base.config.vocab_size, random)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    model.save_pretrained(target)
    (target / "README.md").unlink(missing_ok=True)

    sums = [loss.item() for loss in losses_of(model, texts)]
    batch_loss(model, texts).backward()
    save({n: p.grad for n, p in trained(model).items()}, target / "gradients.safetensors")
    steps = train(model, texts)
    save(trained(model), target / "trained.safetensors")
    versions = f"peft {peft.__version__}, transformers {transformers.__version__}, torch {torch.__version__.split('+')[0]}, fp32"
    golden = {"made_with": versions, "rank": RANK, "alpha": ALPHA, "texts": texts, "sums": sums, "run": RUN,
              "steps": steps}
    (target / "training.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n", encoding="utf-8")


def train(model, texts):
    optimiser = torch.optim.AdamW(trained(model).values(), lr=RUN["learning_rate"], weight_decay=RUN["weight_decay"])
    schedule = transformers.get_cosine_schedule_with_warmup(optimiser, RUN["warmup"], RUN["steps"])
    steps = []
    for _ in range(RUN["steps"]):
        optimiser.zero_grad()
        loss = batch_loss(model, texts)
        loss.backward()
        length = torch.nn.utils.clip_grad_norm_(trained(model).values(), RUN["max_length"])
        steps.append({"loss": loss.item(), "length": length.item(), "rate": schedule.get_last_lr()[0]})
        optimiser.step()
        schedule.step()
    return steps


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    for name in MODELS:
        make(arguments.models, name, arguments.folder / name)


if __name__ == "__main__":
    main()
