"""Decides how a custom kind's own schema becomes one that kubeconform reads: one file for each kind and version.

An API server drops, or with strict validation refuses, what such a schema does not name; here that has to be said.
"""

import json
import sys
from pathlib import Path
from typing import Any

import yaml


def main(argv: list[str]) -> int:
    """Return 0 after writing to the folder `argv[0]` the schemas of the definitions in the other files."""
    folder = Path(argv[0])
    for file in argv[1:]:
        for definition in yaml.safe_load_all(Path(file).read_text()):
            spec = definition["spec"]
            for version in spec["versions"]:
                kind, group = spec["names"]["kind"].lower(), spec["group"].partition(".")[0]
                schema = closed(version["schema"]["openAPIV3Schema"])
                # The API server knows these of every object; custom kinds do not repeat them.
                known = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}}
                schema["properties"] = {**schema["properties"], **known, "metadata": {}}
                name = f"{kind}-{group}-{version['name']}.json"
                (folder / name).write_text(json.dumps(schema))
    return 0


def closed(schema: Any) -> Any:
    """Return `schema` with every object refusing what it does not name, and either form where there are two."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    properties = schema.get("properties")
    if isinstance(properties, dict):
        # Here the keys are names of fields, which may be called as a word of the language.
        made["properties"] = {name: closed(value) for name, value in properties.items()}
        if not schema.get("x-kubernetes-preserve-unknown-fields"):
            made.setdefault("additionalProperties", False)
    if schema.get("x-kubernetes-int-or-string"):
        made.pop("type", None)
        made.pop("anyOf", None)
        made["oneOf"] = [{"type": "integer"}, {"type": "string"}]
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
