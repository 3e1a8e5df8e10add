"""The class that vLLM loads: `--speculative-config '{"method": "custom_class", "model": "redraft_vllm.RedraftProposer", …}'`."""

import logging
import pathlib

from ._core import BatchDrafter

logger = logging.getLogger(__name__)

_CHOICES = {"cost", "forget", "tokenizer"}


class RedraftProposer:
    """Proposes what redraft would draft, as chains. vLLM verifies them, and decides alone what is written.

    Choices are in the server's `--additional-config '{"redraft": {…}}'`:

    - `tokenizer`: a GGUF file or a folder with tokenizer.json; default: the served model's folder. Without one that can be
      read, what a request edits is not known, and drafts are copies alone.
    - `cost`: what a step costs by its rows, in steps of one row, as in "1:1,8:1.1,32:1.5"; it is corrected by what is
      measured.
    - `forget`: true to copy nothing from earlier requests, where clients may not learn of each other by how soon an
      answer comes.
    """

    def __init__(self, vllm_config):
        speculative = vllm_config.speculative_config
        model = vllm_config.model_config
        choices = _choices(vllm_config.additional_config)
        arguments = {
            "longest": speculative.num_speculative_tokens,
            "most_tokens": model.max_model_len,
            "cost": choices.get("cost"),
            "remembers": not choices.get("forget", False),
        }
        self._drafter = BatchDrafter(tokenizer=choices.get("tokenizer"), **arguments)
        if "tokenizer" not in choices:
            self._use_tokenizer_of(model, arguments)

    def _use_tokenizer_of(self, model, arguments):
        try:
            self._drafter = BatchDrafter(tokenizer=_folder_of_tokenizer(model), **arguments)
        except (ImportError, OSError, ValueError) as error:  # missing, or in a format that redraft does not support
            logger.warning("redraft does without a tokenizer, so it does not know what a request edits: %s", error)

    def propose(self, sampled_token_ids, num_tokens_no_spec, token_ids_cpu, slot_mappings=None):
        """A draft for each row of the batch. `sampled_token_ids` are the tokens that the step wrote in each row; none while
        its prompt is being read. The first `num_tokens_no_spec[i]` of `token_ids_cpu[i]` are prompt and output of row i."""
        return self._drafter.propose(sampled_token_ids, num_tokens_no_spec[:len(sampled_token_ids)], token_ids_cpu)

    def load_model(self, *_args, **_more):
        """There are no weights."""


def _choices(additional):
    choices = additional.get("redraft", {}) if isinstance(additional, dict) else {}
    unknown = sorted(set(choices) - _CHOICES)
    if unknown:
        raise ValueError(f"redraft knows no '{unknown[0]}' in --additional-config; there are {', '.join(sorted(_CHOICES))}")
    return choices


def _folder_of_tokenizer(model):
    """The folder of the served model, or the folder of its downloaded files."""
    folder = pathlib.Path(model.tokenizer)
    if folder.exists():
        return str(folder)
    from huggingface_hub import hf_hub_download

    return str(pathlib.Path(hf_hub_download(model.tokenizer, "tokenizer.json", revision=model.tokenizer_revision,
                                            local_files_only=True)).parent)
