"""Elements and attributes of XML by another name: what is lost is told, as a problem or as a count."""

import re

import pytest
from format_samples import flat, sample
from mutators import style

import berrypick as bp
from berrypick import formats
from berrypick.formats import Problems

XML = [cls for cls in formats.registered().values() if style(sample(cls)) == "xml"]


def changes(text):
    """(what, text) with every name of an element or attribute changed, once everywhere, once in the last place."""
    for name in sorted(set(re.findall(r"</?([\w-]+)", text))):
        yield f"<{name}>", re.sub(rf"(</?){name}\b", rf"\1{name}s", text)
    for name in sorted(set(re.findall(r"\s([\w-]+)=", text))):
        yield name, re.sub(rf"\s{name}=", f" {name}s=", text)
        at = [found.start() for found in re.finditer(rf"\s{name}=", text)][-1]
        yield f"the last {name}", text[:at] + text[at:].replace(f"{name}=", f"{name}s=", 1)


@pytest.mark.parametrize("cls", XML, ids=[cls.format_name for cls in XML])
def test_what_has_another_name_is_told(cls, tmp_path):
    path = tmp_path / "file"

    def read(text):
        path.write_text(text)
        problems = Problems(str(path), strict=False)
        try:
            return flat(cls.read(str(path), problems)), bool(problems.found or problems.counts)
        except bp.InputError:
            return None, True

    expected, told = read(sample(cls))
    assert expected and not told
    unnoticed = [
        what for what, text in changes(sample(cls)) if (found := read(text)) and not found[1] and found[0] != expected
    ]
    assert not unnoticed
