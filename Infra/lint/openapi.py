"""Checks OpenAPI documents: valid OpenAPI, then our own rules. Prints each fault; exits 1 when there is one."""

import re
import sys
from urllib.parse import quote

import yaml
from openapi_schema_validator import OAS31Validator, oas31_format_checker
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

METHODS = {"get", "put", "post", "delete", "patch", "head", "options", "trace"}
OPERATION_ID = re.compile(r"[a-z]+([A-Z][A-Za-z0-9]*)+")
PROBLEM = "application/problem+json"
# Why a form was refused is shown to whoever sent it.
PAGE = "text/html"
# Readiness answers 503 with its report, and whoever fetches a token is answered in the form of RFC 6749.
OWN_ERRORS = {"GET /health/ready": {"503"}, "POST /in/{source}/token": {"400", "401"}}
# JSON Schema allows any keyword beside these, so that a comma too many in YAML makes one and nobody notices.
KEYWORDS = {
    "$ref", "additionalProperties", "allOf", "anyOf", "const", "default", "description", "enum", "examples", "format",
    "items", "maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum", "oneOf", "pattern", "properties",
    "propertyNames", "required", "type",
}


class UniqueKeyLoader(yaml.SafeLoader):
    """Refuses a key that comes twice, which YAML forbids and PyYAML overlooks."""

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"the key {key.value} comes twice", problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


class Document:
    def __init__(self, path):
        self.path = path
        self.faults = []
        with open(path, encoding="utf-8") as file:
            self.root = yaml.load(file, UniqueKeyLoader)
        self.registry = Registry().with_resource("document:", Resource(self.root, DRAFT202012))

    def fault(self, place, message):
        self.faults.append(f"{self.path}: {place}: {message}")

    def resolve(self, value):
        while "$ref" in value:
            target = self.root
            for part in value["$ref"].removeprefix("#/").split("/"):
                target = target[part.replace("~1", "/").replace("~0", "~")]
            value = target
        return value

    def check(self):
        for error in OpenAPIV31SpecValidator(self.root).iter_errors():
            self.fault("/".join(map(str, error.absolute_path)) or "document", error.message)
        if self.faults:
            return  # What follows relies on the shape.
        self.check_operations()
        self.check_schemas()
        self.check_references()

    # Operations

    def items(self):
        """Each path and each webhook, with its place."""
        for kind in ("paths", "webhooks"):
            for name, item in self.root.get(kind, {}).items():
                yield f"#/{kind}/{escape(name)}", name, item

    def operations(self):
        for place, name, item in self.items():
            for method in METHODS & item.keys():
                # What receivers of webhooks answer is theirs.
                yield f"{method.upper()} {name}", item[method], place.startswith("#/paths/")

    def check_operations(self):
        ids, tags = {}, set()
        known = {tag["name"] for tag in self.root.get("tags", [])}
        for name, operation, is_ours in self.operations():
            identifier = operation.get("operationId", "")
            if not OPERATION_ID.fullmatch(identifier):
                self.fault(name, f"operationId '{identifier}' is not a verb with a noun in camelCase")
            if identifier in ids:
                self.fault(name, f"operationId {identifier} is that of {ids[identifier]} too")
            ids[identifier] = name
            if not operation.get("tags"):
                self.fault(name, "has no tag")
            for tag in set(operation.get("tags", [])) - known:
                self.fault(name, f"tag {tag} is not among the document's tags")
            tags.update(operation.get("tags", []))
            if not operation.get("summary") or operation["summary"].endswith("."):
                self.fault(name, "summary is missing or ends with a full stop")
            if is_ours:
                self.check_responses(name, operation)
        for tag in known - tags:
            self.fault("tags", f"{tag} is on no operation")

    def check_responses(self, name, operation):
        security = operation.get("security", self.root.get("security"))
        if security is None:
            self.fault(name, "says nothing about security")
        if security and "401" not in operation["responses"]:
            self.fault(name, "needs a token and documents no 401")
        # A form's success is the page that the browser is sent to.
        if not any(status.startswith("2") or status == "303" for status in operation["responses"]):
            self.fault(name, "documents no success")
        for status, response in operation["responses"].items():
            content = self.resolve(response).get("content", {})
            is_problem = {PROBLEM, PAGE} & content.keys() or status in OWN_ERRORS.get(name, ())
            if status[0] in "45" and not is_problem:
                self.fault(name, f"{status} is no {PROBLEM} and no {PAGE}")
            if not content and status != "204":
                self.fault(name, f"{status} has no content")

    # Schemas and examples

    def check_schemas(self):
        components = self.root["components"]
        for name, schema in components["schemas"].items():
            self.check_schema(schema, f"#/components/schemas/{name}")
            if not schema.keys() & {"examples", "enum"}:
                self.fault(f"components/schemas/{name}", "has no example")
        for kind in ("parameters", "responses"):
            for name, component in components.get(kind, {}).items():
                self.check_body(component, f"#/components/{kind}/{name}")
        for place, _, item in self.items():
            for index, parameter in enumerate(item.get("parameters", [])):
                self.check_body(parameter, f"{place}/parameters/{index}")
            for method in METHODS & item.keys():
                operation = item[method]
                for index, parameter in enumerate(operation.get("parameters", [])):
                    self.check_body(parameter, f"{place}/{method}/parameters/{index}")
                self.check_body(operation.get("requestBody", {}), f"{place}/{method}/requestBody")
                for status, response in operation["responses"].items():
                    self.check_body(response, f"{place}/{method}/responses/{status}")

    def check_body(self, body, place):
        """What has a schema: a parameter, a header, or content of several media types."""
        if "schema" in body:
            self.check_schema(body["schema"], f"{place}/schema")
        for name, header in body.get("headers", {}).items():
            self.check_body(header, f"{place}/headers/{name}")
        for media, content in body.get("content", {}).items():
            at = f"{place}/content/{escape(media)}"
            if "schema" not in content:
                self.fault(at, "has no schema")
                continue
            self.check_schema(content["schema"], f"{at}/schema")
            if "example" in content:
                self.check_example(content["example"], f"{at}/schema")
            elif "examples" not in self.resolve(content["schema"]):
                self.fault(at, "has no example")

    def check_schema(self, schema, place):
        """Every level says its type; objects have properties, arrays have items, examples are valid."""
        for keyword in schema.keys() - KEYWORDS:
            self.fault(place, f"has the keyword '{keyword}', which is not one that we use")
        if "$ref" in schema:
            return
        parts = [name for name in ("allOf", "oneOf", "anyOf") if name in schema]
        is_part_of_all = "/allOf/" in place
        if is_part_of_all and "const" in schema:
            # Generators of clients cannot merge it with the property that it narrows, and leave the whole answer out.
            self.fault(place, "narrows a property by const; use its type with an enum of one value")
        if not parts and not is_part_of_all and not schema.keys() & {"type", "enum", "const"}:
            self.fault(place, "says no type")
        properties = schema.get("properties", {})
        if schema.get("type") == "object":
            further = schema.get("additionalProperties")
            if not properties and (further is None or further is True):
                self.fault(place, "is an object without properties")
            for name in set(schema.get("required", [])) - properties.keys():
                self.fault(place, f"requires {name}, which is no property")
            if isinstance(further, dict):
                self.check_schema(further, f"{place}/additionalProperties")
        if schema.get("type") == "array":
            if "items" not in schema:
                self.fault(place, "is an array without items")
            else:
                self.check_schema(schema["items"], f"{place}/items")
        for name, property in properties.items():
            self.check_schema(property, f"{place}/properties/{escape(name)}")
        for part in parts:
            for index, element in enumerate(schema[part]):
                self.check_schema(element, f"{place}/{part}/{index}")
        for example in schema.get("examples", []):
            self.check_example(example, place)

    def check_example(self, example, place):
        # A place is a URI's fragment here, and paths have braces.
        validator = OAS31Validator(
            {"$ref": f"document:{quote(place, safe='#/~')}"}, registry=self.registry, format_checker=oas31_format_checker)
        for error in validator.iter_errors(example):
            at = "/".join(map(str, error.absolute_path))
            self.fault(place, f"example{' at ' + at if at else ''}: {error.message}")

    def check_references(self):
        used = set()

        def collect(value):
            if isinstance(value, dict):
                if isinstance(value.get("$ref"), str):
                    used.add(value["$ref"])
                value = value.values()
            elif not isinstance(value, list):
                return
            for element in value:
                collect(element)

        collect(self.root)
        for kind, components in self.root["components"].items():
            for name in components:
                if kind != "securitySchemes" and f"#/components/{kind}/{name}" not in used:
                    self.fault(f"components/{kind}/{name}", "is used nowhere")


def escape(text):
    """As a JSON pointer has it."""
    return text.replace("~", "~0").replace("/", "~1")


def check_shared(documents):
    """A schema with one name is one schema, in whichever documents it is; examples may differ."""
    first = {}
    for document in documents:
        for name, schema in document.root.get("components", {}).get("schemas", {}).items():
            shape = {key: value for key, value in schema.items() if key != "examples"}
            known, path = first.setdefault(name, (shape, document.path))
            if known != shape:
                document.fault(f"components/schemas/{name}", f"is another one in {path}")


try:
    documents = [Document(path) for path in sys.argv[1:]]
except yaml.YAMLError as error:
    sys.exit(str(error))
for document in documents:
    document.check()
check_shared(documents)
faults = [fault for document in documents for fault in document.faults]
print("\n".join(faults) if faults else f"{len(documents)} OpenAPI documents are valid")
sys.exit(1 if faults else 0)
