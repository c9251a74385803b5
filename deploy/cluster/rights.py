"""Decides how the chart's KafkaUsers become rights on a broker that no operator looks after: as Strimzi's user operator would give them.

`helm template … | rights.py HOST:PORT`: the broker then allows what the chart's users may do, and nothing else.
"""

import sys
from collections.abc import Iterator
from typing import Any

import yaml
from kafka.admin import (
    ACL,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    KafkaAdminClient,
    ResourcePattern,
    ResourceType,
)

_OPERATIONS = {
    "Read": ACLOperation.READ,
    "Write": ACLOperation.WRITE,
    "Create": ACLOperation.CREATE,
    "Describe": ACLOperation.DESCRIBE,
    "DescribeConfigs": ACLOperation.DESCRIBE_CONFIGS,
}
_KINDS = {"topic": ResourceType.TOPIC, "group": ResourceType.GROUP}
_PATTERNS = {"literal": ACLResourcePatternType.LITERAL, "prefix": ACLResourcePatternType.PREFIXED}


def rights(objects: Iterator[Any]) -> Iterator[ACL]:
    """Yield each right of each KafkaUser among `objects`."""
    for each in objects:
        if not each or each["kind"] != "KafkaUser":
            continue
        user = f"User:{each['metadata']['name']}"
        for rule in each["spec"]["authorization"]["acls"]:
            resource = rule["resource"]
            pattern = ResourcePattern(
                _KINDS[resource["type"]], resource["name"], _PATTERNS[resource["patternType"]]
            )
            operations = [*rule["operations"]]
            if user.endswith("-topics"):
                # Where no topic operator is, it is this user that makes them.
                operations.append("Create")
            for operation in operations:
                yield ACL(user, "*", _OPERATIONS[operation], ACLPermissionType.ALLOW, pattern)


def main(argv: list[str]) -> int:
    """Return 0 once the broker `argv[0]` has taken the rights in the objects on standard input."""
    wanted = list(rights(yaml.safe_load_all(sys.stdin)))
    admin = KafkaAdminClient(bootstrap_servers=argv[0])
    try:
        failed = admin.create_acls(wanted)["failed"]
    finally:
        admin.close()
    for each in failed:
        sys.stderr.write(f"not taken: {each}\n")
    sys.stdout.write(f"{len(wanted)} rights\n")
    return 1 if failed or not wanted else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
