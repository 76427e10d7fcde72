#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/record.schema.json lists the same keys as the reader and writer (src/core/json_fields.hpp)."""
import json
import pathlib
import re
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def snake(name):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


class RecordSchema(unittest.TestCase):
    def setUp(self):
        self.schema = json.loads((REPOSITORY / "docs/record.schema.json").read_text(encoding="utf-8"))
        code = (REPOSITORY / "src/core/json_fields.hpp").read_text(encoding="utf-8")
        self.types = {
            snake(name): re.findall(r'f\("(\w+)"', body)
            for name, body in re.findall(r"GPUADAPT_FIELDS\((\w+)\) \{(.*?)GPUADAPT_END", code, re.S)
        }

    def test_types_were_found(self):
        self.assertGreater(len(self.types), 15)

    def test_same_keys_in_the_same_order(self):
        for name, keys in self.types.items():
            with self.subTest(type=name):
                self.assertEqual(list(self.schema["$defs"][name]["properties"]), keys)

    def test_required_keys_exist(self):
        for name, part in [("record", self.schema)] + list(self.schema["$defs"].items()):
            with self.subTest(type=name):
                self.assertLessEqual(set(part.get("required", [])), set(part.get("properties", {})))

    def test_every_definition_is_used(self):
        text = json.dumps(self.schema)
        for name in self.schema["$defs"]:
            self.assertIn(f'"#/$defs/{name}"', text)


if __name__ == "__main__":
    unittest.main()
