"""Truth and runs at a coarser unit than they have, and places read out of ids: options level and id_pattern."""
