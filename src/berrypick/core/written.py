"""Tables that write themselves: the text that the command line prints, and files of it."""

from __future__ import annotations

from os import PathLike
from typing import Any

from berrypick.core.arrow import Frames


class Written(Frames):
    """A table with a text in every output format. Subclasses have :meth:`table` and :meth:`records`."""

    def table(self, output: str = "table", places: int | None = None) -> str:
        """Return the text that the command line prints in an output format."""
        raise NotImplementedError

    def records(self) -> list[dict[str, Any]]:
        """Return everything that is known, as in JSON output."""
        raise NotImplementedError

    def to_records(self, **how: Any) -> list[dict[str, Any]]:
        """Return the rows of JSON output as dictionaries; ``how`` as in :meth:`records`."""
        return self.records(**how)

    def to_json(self, path: str | PathLike[str] | None = None, **how: Any) -> str:
        """Return the table as JSON, and write it to ``path`` if given; ``how`` as in :meth:`table`."""
        return self._as("json", path, how)

    def to_csv(self, path: str | PathLike[str] | None = None, **how: Any) -> str:
        """Return the table as CSV, and write it to ``path`` if given; ``how`` as in :meth:`table`."""
        return self._as("csv", path, how)

    def to_markdown(self, path: str | PathLike[str] | None = None, **how: Any) -> str:
        """Return the table as Markdown, and write it to ``path`` if given; ``how`` as in :meth:`table`."""
        return self._as("markdown", path, how)

    def to_latex(self, path: str | PathLike[str] | None = None, **how: Any) -> str:
        """Return the table as LaTeX, and write it to ``path`` if given; ``how`` as in :meth:`table`."""
        return self._as("latex", path, how)

    def _as(self, output: str, path: str | PathLike[str] | None, how: dict[str, Any]) -> str:
        text = self.table(output, **how)
        if path is not None:
            from berrypick.report.written import write_content

            write_content(text, path)
        return text

    def write(self, path: str | PathLike[str], format: str | None = None, **how: Any) -> None:
        """Write the table to a file, atomically.

        ``format`` is an output of the command line, such as 'markdown'; by default the name decides: it ends in .json,
        .jsonl, .csv, .tsv, .md, .tex, .txt or .parquet. ``how`` is as in :meth:`table`.
        """
        from berrypick.report.written import write_value

        write_value(self, path, format, how)
