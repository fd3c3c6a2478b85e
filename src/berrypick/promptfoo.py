"""An assertion for promptfoo."""

from berrypick.integrations.promptfoo import get_assert

__all__ = ["get_assert"]
