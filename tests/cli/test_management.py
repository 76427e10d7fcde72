# SPDX-License-Identifier: Apache-2.0
"""The program started once more by itself to ask a management library. The library is the stand-in of tests/driver."""
import json
import os

from support import CliTest, OK, USAGE, main

FLAG = "--internal-management-facts"


class Management(CliTest):
    def test_facts_come_part_by_part(self):
        result = self.run_program(FLAG, "nvml", os.environ["FAKE_NVML"])
        self.assert_status(result, OK)
        parts = [json.loads(part) for part in result.out.split("\x1e") if part.strip()]
        self.assertEqual(parts[0]["versions"]["driver"]["path"], os.environ["FAKE_NVML"])
        self.assertEqual([gpu["address"] for part in parts for gpu in part["gpus"]], ["0000:06:00.0", "0000:07:00.0"])
        self.assertIn("calling nvmlInit_v2, NVML", result.err.splitlines())

    def test_a_missing_library_is_an_answer(self):
        result = self.run_program(FLAG, "mxsml", "/nowhere/libmxsml.so")
        self.assert_status(result, OK)
        self.assertIn("/nowhere/libmxsml.so", result.out)

    def test_anything_else_is_wrong_usage(self):
        self.assertEqual(self.run_program(FLAG).status, USAGE)
        self.assertEqual(self.run_program(FLAG, "other").status, USAGE)

    def test_help_does_not_know_it(self):
        self.assertNotIn("internal", self.run_program("--help").out)


if __name__ == "__main__":
    main()
