"""Conformance: published cases with expected values, and what berrypick and other tools compute for them."""
