#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Documents and scripts keep to what is there: links, folders, scripts, package lists."""
import os
import pathlib
import re
import subprocess
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PAGES = [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/*.md")]


class Documents(unittest.TestCase):
    def test_links_lead_somewhere(self):
        self.assertGreater(len(PAGES), 6)
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
                if "://" not in target:
                    with self.subTest(page=page.name, target=target):
                        self.assertTrue((page.parent / target).exists())

    def test_every_layer_is_told(self):
        text = (REPOSITORY / "docs/architecture.md").read_text(encoding="utf-8")
        for folder in (REPOSITORY / "src").iterdir():
            if folder.is_dir():
                self.assertIn(f"| `{folder.name}` |", text)

    def test_named_scripts_can_be_run(self):
        for page in PAGES:
            for name in re.findall(r"scripts/[a-z][\w.-]*\w", page.read_text(encoding="utf-8")):
                with self.subTest(page=page.name, script=name):
                    self.assertTrue(os.access(REPOSITORY / name, os.X_OK))

    def test_both_readmes_show_the_same_commands(self):
        blocks = [re.findall(r"```sh\n(.*?)```", (REPOSITORY / name).read_text(encoding="utf-8"), re.S)
                  for name in ("README.md", "docs/README.zh-CN.md")]
        commands = [[line.partition("#")[0].strip() for block in page for line in block.splitlines() if line.strip()]
                    for page in blocks]
        self.assertGreater(len(commands[0]), 6)
        self.assertEqual(*commands)


class Packages(unittest.TestCase):
    def packages(self, distribution, *arguments):
        return subprocess.run([REPOSITORY / "scripts/packages", *arguments], capture_output=True, text=True, check=False,
                              env={**os.environ, "GPUADAPT_DISTRO": distribution})

    def test_every_distribution_has_every_group(self):
        for distribution in ("debian-12", "debian-13", "ubuntu-22.04", "ubuntu-24.04"):
            for group in ("build", "run", "test", "clang", "check", "image"):
                with self.subTest(distribution=distribution, group=group):
                    result = self.packages(distribution, "list", group)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertTrue(result.stdout.split())

    def test_old_compiler_is_replaced(self):
        self.assertIn("g++-12", self.packages("ubuntu-22.04", "list", "build").stdout.split())
        self.assertIn("g++", self.packages("debian-12", "list", "build").stdout.split())

    def test_unknown_names(self):
        self.assertEqual(self.packages("debian-12", "list", "nonsense").returncode, 1)
        self.assertEqual(self.packages("debian-12", "nonsense", "build").returncode, 2)
        other = self.packages("nonsense-1", "install", "build")
        self.assertEqual(other.returncode, 0)
        self.assertIn("no package list for nonsense-1", other.stderr)


if __name__ == "__main__":
    unittest.main()
