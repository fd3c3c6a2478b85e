"""Tasks to judge from a pipe."""


def test_tasks_from_a_pipe(pipe, berrypick, tmp_path):
    task = '{"topic": "1", "doc": "a", "text": "some text", "offset": 0}\n'
    for number, content in enumerate((task, f'[{{"data": {task.strip()}}}]')):
        done = berrypick("annotate", pipe(content, f"tasks{number}"), "--html", tmp_path / f"{number}.html")
        assert done.code == 0, done.err
        assert "some text" in (tmp_path / f"{number}.html").read_text()
