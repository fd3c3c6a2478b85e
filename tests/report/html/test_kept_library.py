"""The charting library between commands: read where its file is whole, made and kept where it is not."""

from many_cases import each

from berrypick.report.html.kept_library import kept_script


def made(calls):
    calls.append(1)
    return "let a = 'é\r\n';\n"


def test_it_is_made_once(tmp_path, monkeypatch):
    monkeypatch.setenv("BERRYPICK_CACHE", str(tmp_path / "new" / "cache"))
    calls = []
    assert [kept_script("a.js", lambda: made(calls)) for _ in range(3)] == [made([])] * 3 and len(calls) == 1
    assert [path.name for path in (tmp_path / "new" / "cache").iterdir()] == ["a.js"]


@each("damage", [b"", b"let a = 1;\n", b"// sha256 00\nlet a;", b"\xff\xfe", None])
def test_a_file_that_is_not_whole_is_made_anew(damage, tmp_path, monkeypatch):
    monkeypatch.setenv("BERRYPICK_CACHE", str(tmp_path))
    path = tmp_path / "a.js"
    kept_script("a.js", lambda: made([]))
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] if damage is None else damage)
    calls = []
    assert kept_script("a.js", lambda: made(calls)) == made([]) and len(calls) == 1
    assert path.read_bytes() == whole


def test_where_nothing_can_be_kept_it_is_made_each_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    for place in (str(tmp_path / "file"), ""):
        monkeypatch.setenv("BERRYPICK_CACHE", place)
        calls = []
        assert [kept_script("a.js", lambda: made(calls)) for _ in range(2)] == [made([])] * 2  # noqa: B023
        assert len(calls) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_without_a_folder_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.delenv("BERRYPICK_CACHE", raising=False)
    for name in ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert kept_script("a.js", lambda: made([])) == made([]) and not [*tmp_path.iterdir()]
