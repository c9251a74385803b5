"""The generated code is what the contracts say now."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "services" / "floorbook" / "v1"


def generate(folder: Path, protos: list[str], *kinds: str) -> None:
    subprocess.run(
        [
            sys.executable,
            *("-m", "grpc_tools.protoc", "-I", str(ROOT / "protos")),
            *(f"--{kind}={folder}" for kind in kinds),
            *protos,
        ],
        check=True,
    )


def test_generated_code_is_fresh(tmp_path: Path) -> None:
    """`make protos` would change nothing; else run it and commit what it makes."""
    protos = sorted(str(file) for file in (ROOT / "protos").rglob("*.proto"))
    services = [file for file in protos if "\nservice " in Path(file).read_text("utf-8")]
    generate(tmp_path, protos, "python_out", "pyi_out")
    generate(tmp_path, services, "grpc_python_out")

    made = {file.name: file.read_bytes() for file in (tmp_path / "floorbook" / "v1").iterdir()}
    kept = {
        file.name: file.read_bytes()
        for file in GENERATED.iterdir()
        if file.is_file() and file.name != "__init__.py"
    }
    assert made.keys() == kept.keys()
    assert [name for name in sorted(made) if made[name] != kept[name]] == []
