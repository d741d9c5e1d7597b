"""Fails unless generated clients for TypeScript and Swift keep every refusal that the OpenAPI documents describe.

    kept_refusals.py DOCUMENTS CLIENTS      the folders of the documents, and of CLIENTS/LANGUAGE/DOCUMENT
"""

import re
import sys
from pathlib import Path

from ruamel.yaml import YAML

METHODS = {"get", "put", "post", "delete", "patch", "head"}
PROBLEM = re.compile(r"https://doorstep\.dev/problems/[a-z0-9-]+")


def refusals(document):
    """(operation, status, types of problem) of each refusal; no types where any problem is meant, or none."""

    def resolved(value):
        while "$ref" in value:
            target = document
            for part in value["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            value = target
        return value

    for item in document["paths"].values():
        for method, operation in item.items():
            if method not in METHODS:
                continue
            for status, response in operation["responses"].items():
                if str(status)[0] not in "45":
                    continue
                content = resolved(response).get("content", {})
                schema = content.get("application/problem+json", {}).get("schema", {})
                # A generated client reads the first kind of answer alone.
                is_read = next(iter(content), None) == "application/problem+json"
                parts = schema.get("allOf", []) if is_read else []
                types = {name for part in parts for name in part.get("properties", {}).get("type", {}).get("enum", [])}
                yield operation["operationId"], str(status), frozenset(types)


def missing_in_typescript(folder, wanted):
    """What the generator `typescript` loses: it has each status of each operation, with the type of what is thrown."""
    models = {}
    for file in folder.glob("models/*.ts"):
        text = file.read_text(encoding="utf-8")
        for name in re.findall(r"export class (\w+)", text):
            models[name] = frozenset(PROBLEM.findall(text))
    thrown = {}
    for file in folder.glob("apis/*.ts"):
        processors = re.split(r"public async (\w+)\(response: ResponseContext\)", file.read_text(encoding="utf-8"))
        for name, body in zip(processors[1::2], processors[2::2]):
            answers = re.split(r'isCodeInRange\("(\w+)"', body)
            for status, answer in zip(answers[1::2], answers[2::2]):
                kind = re.search(r"ApiException<([^>]*)>", answer)
                thrown[name.removesuffix("WithHttpInfo"), status] = kind.group(1).strip() if kind else ""
    for operation, status, types in wanted:
        kind = thrown.get((operation, status))
        if kind is None or (types and models.get(kind) != types):
            yield f"{operation} {status} {' '.join(sorted(types))}: {kind or 'not there'}"


def missing_in_swift(folder, wanted):
    """What the generator `swift6` loses: it has a model of each refusal, and no status of an operation."""
    models = [file.read_text(encoding="utf-8") for file in folder.rglob("*.swift")]
    for status, types in {(status, types) for _, status, types in wanted if types}:
        is_kept = any(
            frozenset(PROBLEM.findall(text)) == types and re.search(rf"case \S+ = {status}\b", text) for text in models)
        if not is_kept:
            yield f"{status} {' '.join(sorted(types))}"


documents, clients = Path(sys.argv[1]), Path(sys.argv[2])
has_lost = False
for path in sorted(documents.glob("*.yaml")):
    wanted = list(refusals(YAML(typ="safe", pure=True).load(path)))
    for language, missing in [("typescript", missing_in_typescript), ("swift6", missing_in_swift)]:
        lost = sorted(missing(clients / language / path.stem, wanted))
        has_lost = has_lost or bool(lost)
        print(f"a client of {path.stem} by {language}: {len(wanted)} refusals, {len(lost)} lost")
        for line in lost:
            print(f"    {line}", file=sys.stderr)
sys.exit(1 if has_lost else 0)
