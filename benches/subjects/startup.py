"""What a process costs before it does anything: importing the package, and the command line."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from benches import child
from benches.bench import Bench, Setting
from benches.clock import Call, compare
from benches.table import Table
from benches.texts import code_text

_CLI = ("-m", "steadyhand")


def run(setting: Setting) -> Iterator[Table]:
    setting.tell("start-up")
    file = setting.folder / "app.py"
    text = code_text(4_000)
    file.write_text("token_0\n" + text, encoding="utf-8")
    counter = itertools.count()

    def edit() -> None:
        number = next(counter)
        command = (*_CLI, "edit", "app.py", "--old", f"token_{number}\n", "--new", f"token_{number + 1}\n")
        child.run(child.python(*command), cwd=setting.folder)

    def start(label: str, *arguments: str) -> Call:
        return Call(label, lambda: child.run(child.python(*arguments), cwd=setting.folder))

    calls = [
        start("import steadyhand", "-c", "import steadyhand"),
        start("… and steadyhand.edit", "-c", "import steadyhand; steadyhand.edit"),
        start("… and steadyhand.Workspace", "-c", "import steadyhand; steadyhand.Workspace"),
        start("steadyhand --version", *_CLI, "--version"),
        start("steadyhand --help", *_CLI, "--help"),
        start("steadyhand edit --help", *_CLI, "edit", "--help"),
        Call("steadyhand edit, a file of 4 KB", edit, remark="committed and journalled"),
        start("steadyhand log", *_CLI, "log"),
        start("steadyhand read", *_CLI, "read", "app.py"),
    ]
    floor = Call("floor", lambda: child.run(child.python("-c", "pass")))
    edit()  # so that the journal is there for every row alike
    yield Table("Start-up: wall time of a process", 'python -c "pass"', compare(floor, calls, setting.scale.effort))


BENCH = Bench("startup", 50, run)
