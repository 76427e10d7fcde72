#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of scripts/check_layers.py, shown on a small tree that breaks it."""
import pathlib
import sys
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "scripts"))
sys.dont_write_bytecode = True
import check_layers  # noqa: E402


class Scan(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.write("CMakeLists.txt", (REPOSITORY / "CMakeLists.txt").read_text(encoding="utf-8"))
        self.write("include/gpuadapt/core/error.hpp", "#pragma once\n#include <string>\n")

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def problems(self, path=None, text=None):
        if path:
            self.write(path, text)
        return check_layers.check_tree(self.root)[0]

    def assert_breach(self, path, text, line, said):
        problems = self.problems(path, text)
        self.assertEqual(len(problems), 1, problems)
        self.assertTrue(problems[0].startswith(f"{path}:{line}: "), problems)
        self.assertIn(said, problems[0])

    def test_a_clean_tree_passes(self):
        self.assertEqual(self.problems(), [])
        self.assertEqual(self.problems("src/cli/a.cpp", '#include "cli/b.hpp"\n#include <CLI/CLI.hpp>\n'), [])
        self.assertEqual(self.problems("src/bench/a.cpp", "#include <gpuadapt/host/root.hpp>\n"), [])

    def test_every_arrow(self):
        order = list(check_layers.BELOW)
        for layer in order:
            below = check_layers.allowed(layer)
            for other in order:
                with self.subTest(layer=layer, other=other):
                    found = self.problems(f"src/{layer}/a.cpp", f"\n#include <gpuadapt/{other}/x.hpp>\n")
                    self.assertEqual(len(found), 0 if other in below else 1, found)
            (self.root / f"src/{layer}/a.cpp").unlink()

    def test_the_arrows_are_the_design(self):
        self.assertEqual(check_layers.allowed("check"), {"check", "core"})
        self.assertEqual(check_layers.allowed("report"), {"report", "core"})
        self.assertEqual(check_layers.allowed("ingest"), {"ingest", "core"})
        self.assertEqual(check_layers.allowed("driver"), {"driver", "host", "core"})
        self.assertEqual(check_layers.allowed("bench"), {"bench", "probe", "driver", "host", "ingest", "core"})
        self.assertEqual(check_layers.allowed("cli"), set(check_layers.BELOW))

    def test_wrong_arrow_in_a_public_header(self):
        self.assert_breach("include/gpuadapt/core/a.hpp", "//\n#include <gpuadapt/host/root.hpp>\n", 2, "must not see host")

    def test_private_header_of_another_layer(self):
        self.assert_breach("src/bench/a.cpp", '#include "probe/pci_bytes.hpp"\n', 1, "private header of probe")
        (self.root / "src/bench/a.cpp").unlink()
        self.assert_breach("include/gpuadapt/cli/a.hpp", '#include "cli/b.hpp"\n', 1, "must not include a private one")

    def test_climbing_path(self):
        self.assert_breach("src/core/a.cpp", '#include "../host/b.hpp"\n', 1, "climb")

    def test_foreign_header(self):
        for header in ("CLI/CLI.hpp", "spdlog/spdlog.h", "nlohmann/json.hpp", "archive.h", "xlsxwriter.h", "pci/pci.h",
                       "hwloc.h", "mpi.h"):
            with self.subTest(header=header):
                self.assert_breach("include/gpuadapt/cli/a.hpp", f"#include <{header}>\n", 1, "public headers")
        (self.root / "include/gpuadapt/cli/a.hpp").unlink()
        self.assert_breach("src/check/a.cpp", "#include <nlohmann/json.hpp>\n", 1, "does not link nlohmann_json")

    def test_path_of_the_machine(self):
        self.assert_breach("src/bench/a.cpp", 'std::ifstream in("/proc/cpuinfo");\n', 1, "beside Root")
        self.assert_breach("src/bench/a.cpp", '\nint f = ::open("/dev/null", O_RDWR);\n', 2, "beside Root")
        self.assertEqual(self.problems("src/bench/a.cpp", '// open("/sys/x")\nauto t = root.read("/sys/class/net");\n'), [])
        self.assertEqual(self.problems("src/host/a.cpp", 'std::ifstream in("/proc/cpuinfo");\n'), [])

    def test_layers_without_files(self):
        self.assert_breach("src/check/a.cpp", "std::ifstream in(path);\n", 1, "opens no files")
        self.assert_breach("src/check/a.cpp", "auto f = fopen(path, mode);\n", 1, "opens no files")

    def test_shell(self):
        self.assert_breach("src/driver/a.cpp", 'int r = system ("ls");\n', 1, "a shell")
        self.assert_breach("src/driver/a.cpp", 'auto p = ::popen(text, "r");\n', 1, "a shell")
        self.assertEqual(self.problems("src/driver/a.cpp", 'auto s = "system(x)"; root.system(); file_system(x);\n'), [])

    def test_printing_below_cli(self):
        self.assert_breach("src/report/a.cpp", 'std::cout << "x";\n', 1, "only cli prints")
        (self.root / "src/report/a.cpp").unlink()
        self.assertEqual(self.problems("src/cli/a.cpp", 'std::cout << "x";\n'), [])

    def test_cmake_and_table_differ(self):
        text = (self.root / "CMakeLists.txt").read_text(encoding="utf-8")
        self.write("CMakeLists.txt", text.replace("gpuadapt_layer(check DEPENDS core", "gpuadapt_layer(check DEPENDS host"))
        self.assertEqual(len(self.problems()), 1)
        self.assertIn("check DEPENDS host", self.problems()[0])

    def test_an_empty_tree_is_no_pass(self):
        (self.root / "include/gpuadapt/core/error.hpp").unlink()
        self.assertEqual(len(self.problems()), 1)


if __name__ == "__main__":
    unittest.main()
