"""Truth and runs at a coarser unit than they have, and places read out of ids: `--level`, `--id-pattern`."""
