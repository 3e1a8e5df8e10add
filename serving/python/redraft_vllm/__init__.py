"""redraft's drafts for vLLM: from the code that a request edits, and from everything in its prompt."""

from .proposer import RedraftProposer

__all__ = ["RedraftProposer"]
