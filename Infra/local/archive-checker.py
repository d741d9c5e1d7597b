"""Prints a line for each fault of the archive on standard input against the schema that is named."""

import json
import sys

from jsonschema import Draft202012Validator, FormatChecker

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
Draft202012Validator.check_schema(schema)
checker = FormatChecker(formats=["date-time", "uuid"])
validator = Draft202012Validator(schema, format_checker=checker)
assert "date-time" in checker.checkers, "times are not checked"
for fault in validator.iter_errors(json.load(sys.stdin)):
    print(fault.json_path, fault.message[:300].replace("\n", " "))
