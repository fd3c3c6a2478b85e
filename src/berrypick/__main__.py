"""Entry point; Ctrl-C during import exits with 130 too."""

from __future__ import annotations

import sys


def main() -> None:
    """Load the command line and run it; exit codes are documented there."""
    try:
        from berrypick import cli

        cli.main()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
