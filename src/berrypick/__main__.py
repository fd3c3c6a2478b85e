"""Entry point; Ctrl-C during import exits with 130 too."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Load the command line and run it; exit codes are documented there."""
    gc.set_threshold(100_000)  # modules are many values and no circles: looking for circles is a tenth of loading them
    try:
        from berrypick import cli

        cli.main()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        gc.freeze()  # the process ends: looking for circles among all modules would be a fifth of a small evaluation


if __name__ == "__main__":
    main()
