"""Drafts for vLLM, made as redraft makes them: from the code that a request edits, and from all that is in its prompt."""

from .proposer import RedraftProposer

__all__ = ["RedraftProposer"]
