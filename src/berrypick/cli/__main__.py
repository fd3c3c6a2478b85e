"""python -m berrypick.cli, the same as python -m berrypick."""

from berrypick.__main__ import main

main()
