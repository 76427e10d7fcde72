#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas in docs list the same keys as the readers and writers in src/core."""
import json
import pathlib
import re
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def snake(name):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


class Schema:
    """What holds for each schema."""

    root = None  # the type of the whole document, when it is listed too
    least = 0    # types that must be found

    def setUp(self):
        self.schema = json.loads((REPOSITORY / self.schema_file).read_text(encoding="utf-8"))
        code = (REPOSITORY / self.code_file).read_text(encoding="utf-8")
        self.types = {
            snake(name): re.findall(r'f\("(\w+)"', body)
            for name, body in re.findall(r"GPUADAPT_FIELDS\((\w+)\) \{(.*?)GPUADAPT_END", code, re.S)
        }

    def test_types_were_found(self):
        self.assertGreater(len(self.types), self.least)

    def test_same_keys_in_the_same_order(self):
        for name, keys in self.types.items():
            with self.subTest(type=name):
                part = self.schema if name == self.root else self.schema["$defs"][name]
                self.assertEqual([key for key in part["properties"] if key != "expect"], keys)

    def test_required_keys_exist(self):
        for name, part in [("record", self.schema)] + list(self.schema["$defs"].items()):
            with self.subTest(type=name):
                self.assertLessEqual(set(part.get("required", [])), set(part.get("properties", {})))

    def test_every_definition_is_used(self):
        text = json.dumps(self.schema)
        for name in self.schema["$defs"]:
            self.assertIn(f'"#/$defs/{name}"', text)


class RecordSchema(Schema, unittest.TestCase):
    schema_file = "docs/record.schema.json"
    code_file = "src/core/json_fields.hpp"
    least = 15


class ExpectSchema(Schema, unittest.TestCase):
    schema_file = "docs/expect.schema.json"
    code_file = "src/core/expectations.cpp"
    root = "expectations"
    least = 4


if __name__ == "__main__":
    unittest.main()
