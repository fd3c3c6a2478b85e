"""Effort-precision with navigation: what readers spend on a list, and what the cheapest list would cost them."""
