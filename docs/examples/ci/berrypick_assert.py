"""An assertion for promptfoo: value: file://berrypick_assert.py, config: {conditions: ["charR@5 >= 0.8"]}."""

from berrypick.promptfoo import get_assert

__all__ = ["get_assert"]
