"""The command from its first moment: who interrupts it while it is being loaded interrupts it like any other time."""

from __future__ import annotations

import sys


def main() -> None:
    """Load the command line and run it; exit codes are told there."""
    try:
        from berrypick import cli

        cli.main()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
