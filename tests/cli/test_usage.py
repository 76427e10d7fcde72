#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Options, help, languages and exit statuses, without any measurement."""
import re
import subprocess

from support import COMMANDS, OK, PROGRAM, REPOSITORY, USAGE, CliTest, environment, main


def listed_commands(text):
    block = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.M).group(1)
    return re.findall(r"^  (\w[\w-]*)", block, re.M)


class Help(CliTest):
    def test_lists_exactly_the_commands_that_exist(self):
        self.assertEqual(listed_commands(self.run_ok("--help").out), list(COMMANDS))

    def test_every_listed_command_has_help_with_an_example(self):
        for name in listed_commands(self.run_ok("--help").out):
            for option in ("--help", "-h"):
                with self.subTest(command=name, option=option):
                    text = self.run_ok(name, option).out
                    example = text.partition("\nExample:\n")[2]
                    self.assertIn(f"gpuadapt {name}", example)

    def test_options_of_examples_exist(self):
        for name in COMMANDS:
            text = self.run_ok(name, "--help").out
            options, _, example = text.partition("\nExample:\n")
            for option in re.findall(r"(?<=\s)--?[a-z][\w-]*", example):
                if f"gpuadapt {name}" in example and not example.partition(option)[0].rstrip().endswith("mpirun"):
                    with self.subTest(command=name, option=option):
                        self.assertRegex(options, rf"(?m)(^|[\s,]){re.escape(option)}[\s,]")

    def test_names_the_exit_statuses(self):
        text = self.run_ok("--help").out
        for status in range(5):
            self.assertRegex(text, rf"(?m)^  {status}  \w")

    def test_fits_80_columns_in_both_languages(self):
        for arguments in ([], *([name] for name in COMMANDS)):
            for lang in ("en", "zh"):
                with self.subTest(arguments=arguments, lang=lang):
                    self.assert_narrow(self.run_ok(*arguments, "--lang", lang, "--help").out)

    def test_no_command_prints_help_as_an_error(self):
        result = self.run_program()
        self.assert_status(result, USAGE)
        self.assertEqual(result.out, "")
        self.assertIn("gpuadapt COMMAND", result.err)

    def test_version(self):
        self.assertRegex(self.run_ok("--version").out, r"^gpuadapt \d+\.\d+\.\d+\n$")


class WrongUsage(CliTest):
    def test_says_what_is_wrong_in_both_languages(self):
        mistakes = (
            (("perf", "--iters"), "--iters: a value is missing (N)", "--iters：缺少取值（N）"),
            (("perf", "--slots"), "--slots: a value is missing (N)\n", "--slots：缺少取值（N）\n"),
            (("perf", "--iters", "ten"), "--iters ten: a number from 1 to 1000000000", "--iters ten：应为 1 到 1000000000"),
            (("perf", "-n", "99999999999"), "-n 99999999999: a number from 1 to 1000000000", "-n 99999999999：应为 1 到"),
            (("perf", "-c", "-1"), "-c -1: a number from 0 to 1000000000", "-c -1：应为 0 到 1000000000 的数值"),
            (("perf", "--timeout", "soon"), "--timeout soon: not a number", "--timeout soon：不是数值"),
            (("perf", "-n", "1", "-n", "2"), "-n: given 2 times", "-n：给出了 2 次"),
            (("perf", "--iters=1", "--iters", "2"), "--iters: given 2 times", "--iters：给出了 2 次"),
            (("perf", "-b", ""), "-b: the value is empty", "-b：取值为空"),
            (("perf", "--slots", "0"), "--slots 0: a number from 1 to 1000000", "--slots 0：应为 1 到 1000000 的数值"),
            (("perf", "--backend", "tpu"), "--backend tpu: not one of auto,gpu,host", "--backend tpu：可用取值为"),
            (("probe", "extra"), "not known here: extra", "无法识别：extra"),
        )
        for arguments, english, chinese in mistakes:
            for lang, text in (("en", english), ("zh", chinese)):
                with self.subTest(arguments=arguments, lang=lang):
                    result = self.run_program("--lang", lang, *arguments)
                    self.assert_status(result, USAGE)
                    self.assertIn(f"gpuadapt: {text}", result.err)

    def refuse(self, *arguments, says=()):
        result = self.run_program(*arguments)
        self.assert_status(result, USAGE)
        self.assertEqual(result.out, "")
        self.assert_says(result, *says)
        self.assertEqual(list(self.folder.iterdir()), [], "a refused call leaves nothing behind")

    def test_unknown_command(self):
        self.refuse("frobnicate", says=["frobnicate", "gpuadapt --help"])

    def test_close_command(self):
        self.refuse("prob", says=["probe"])

    def test_unknown_option(self):
        for name in COMMANDS:
            with self.subTest(command=name):
                self.refuse(name, "--no-such-thing", says=["no-such-thing", f"gpuadapt {name} --help"])

    def test_close_option(self):
        self.refuse("perf", "--gpu", "2", says=["--gpus"])

    def test_value_of_a_flag(self):
        self.refuse("perf", "--json=3x", says=["--json takes no value", "gpuadapt perf --help"])
        self.refuse("probe", "--strict=no", says=["--strict takes no value"])
        self.refuse("--version=1", says=["--version"])

    def test_option_without_value(self):
        self.refuse("perf", "--gpus", says=["--gpus"])

    def test_empty_value_of_any_option(self):
        """Mostly a variable of the shell that is not set: it must not stand for the default."""
        for command in COMMANDS:
            options = re.findall(r"(?m)^  (?:-\w, )?(--[\w-]+) [A-Z]", self.run_ok(command, "--help").out)
            self.assertIn("--lang", options)
            for option in options:
                for words in ((option, ""), (f"{option}=", "--json"), (option, "x", option, "")):
                    with self.subTest(command=command, words=words):
                        self.refuse(command, *words, says=[option])
        for lang, text in (("en", "--from: the value is empty"), ("zh", "--from：取值为空")):
            result = self.run_program("--lang", lang, "record", "--from", "", "--out", "x.tar.gz")
            self.assert_status(result, USAGE)
            self.assertIn(f"gpuadapt: {text}", result.err)
        self.refuse("record", "--out=", "--anonymize", says=["--out: the value is empty"])
        self.refuse("perf", "-b", "", says=["-b|--minbytes"])

    def test_wrong_size(self):
        for text in ("12Q", "", "-1", "1.5.2", "99999999999999999999"):
            with self.subTest(size=text):
                self.refuse("perf", "--backend", "host", f"--minbytes={text}", says=["-b|--minbytes"])

    def test_smallest_above_largest(self):
        self.refuse("perf", "--backend", "host", "--gpus", "2", "-b", "2M", "-e", "1M", says=["-b", "-e"])

    def test_sizes_that_hold_no_element(self):
        for gpus in ("1", "2"):
            self.refuse("perf", "--backend", "host", "--gpus", gpus, "-b", "1", "-e", "1", "--out", "run.json",
                        says=["-e 1", "bfloat16"])

    def test_sizes_that_do_not_fit_into_the_memory(self):
        self.refuse("perf", "--backend", "host", "--gpus", "1", "-b", "1024T", "-e", "1024T", "--out", "run.json",
                    says=["^gpuadapt: -b 1024T: "])

    def test_wrong_factor(self):
        for text in ("0", "1", "x", "-2"):
            with self.subTest(factor=text):
                self.refuse("perf", "--backend", "host", f"--stepfactor={text}", says=["-f|--stepfactor"])

    def test_wrong_type(self):
        self.refuse("perf", "--backend", "host", "-d", "float128", says=["-d", "float128", "bfloat16"])

    def test_wrong_operation(self):
        self.refuse("perf", "--backend", "host", "-o", "xor", says=["-o", "xor", "sum"])

    def test_wrong_collective(self):
        self.refuse("perf", "--backend", "host", "--ops", "all_reduce,all_scatter",
                    says=["--ops", "all_scatter", "reduce_scatter"])

    def test_wrong_count(self):
        for text in ("0", "-4", "two", "2,,4", "1e3"):
            with self.subTest(count=text):
                self.refuse("perf", "--backend", "host", f"--gpus={text}", says=["--gpus"])

    def test_count_above_the_slots(self):
        self.refuse("perf", "--backend", "host", "--slots", "2", "--gpus", "2,4", "-b", "8", "-e", "8",
                    says=["4", "slots"])

    def test_wrong_iterations(self):
        for text in ("0", "-5", "many"):
            with self.subTest(iterations=text):
                self.refuse("perf", "--backend", "host", "--gpus", "2", f"--iters={text}", says=["-n|--iters"])

    def test_wrong_root(self):
        self.refuse("perf", "--backend", "host", "--gpus", "2", "--ops", "broadcast", "-r", "2", says=["-r"])

    def test_wrong_backend_and_language(self):
        self.refuse("perf", "--backend", "tpu", says=["--backend", "host"])
        self.refuse("probe", "--lang", "fr", says=["--lang"])

    def test_gpu_backend_without_gpu(self):
        result = self.run_program("perf", "--backend", "gpu", "--gpus", "2", "-b", "8", "-e", "8")
        self.assertNotEqual(result.status, OK, str(result))
        self.assert_says(result, "gpu", "--backend")

    def test_report_without_input(self):
        self.refuse("report", says=["--record", "--log-file"])


class ForeignNames(CliTest):
    def test_escape_codes_do_not_reach_the_terminal(self):
        name = "a\x1b[31m\x9b31m.out"
        recording = str(REPOSITORY / "tests/machines/c500x8/recording.tar.gz")
        for arguments, status in ((("record", "--from", recording, "--out", name), OK),
                                  (("report", "--from", recording, "--out-file", name + ".xlsx"), OK),
                                  (("probe", "--from", name + "?"), USAGE), (("report", "--record", name + "?"), USAGE),
                                  (("probe", "--" + name), USAGE), ((name,), USAGE),
                                  (("perf", "--backend", name), USAGE), (("perf", "--gpus", name), USAGE)):
            with self.subTest(arguments=arguments):
                result = self.run_program(*arguments)
                self.assert_status(result, status)
                self.assertNotRegex(result.out + result.err, "[\x1b\x9b]")
                self.assertIn("a [31m 31m.out", result.out + result.err)


class Languages(CliTest):
    def test_chinese_by_option_and_by_locale(self):
        by_option = self.run_ok("probe", "--lang", "zh", "--help").out
        by_locale = self.run_ok("probe", "--help", env=environment(LANG="zh_CN.UTF-8")).out
        self.assertEqual(by_option, by_locale)
        self.assertRegex(by_option, r"[\u4e00-\u9fff]")

    def test_option_wins_over_locale(self):
        text = self.run_ok("probe", "--lang", "en", "--help", env=environment(LANG="zh_CN.UTF-8")).out
        self.assertEqual(text, self.run_ok("probe", "--help").out)

    def test_errors_follow_the_language(self):
        result = self.run_program("perf", "--backend", "host", "-d", "float128", "--lang", "zh")
        self.assert_status(result, USAGE)
        self.assertRegex(result.err, r"[\u4e00-\u9fff]")

    def test_plain_locale_gets_ascii(self):
        for locale in ({"LANG": "C"}, {"LANG": None}, {"LANG": "zh_CN.GB18030"}, {"LC_ALL": "POSIX"}):
            for arguments in (["--help"], *([name, "--help"] for name in COMMANDS)):
                with self.subTest(locale=locale, arguments=arguments):
                    result = self.run_ok(*arguments, env=environment(**locale))
                    self.assertTrue(result.out_bytes.isascii(), result.out)


class Documents(CliTest):
    def test_man_page_names_commands_options_and_statuses(self):
        text = self.run_ok("--print-man").out
        self.assertTrue(text.startswith(".TH GPUADAPT 1"))
        for name in COMMANDS:
            self.assertIn(f"GPUADAPT {name}", text.replace("gpuadapt", "GPUADAPT"))
        for words in ("\\-\\-gpus", "\\-\\-record", "EXIT STATUS"):
            self.assertIn(words, text)

    def test_man_page_renders_without_complaint(self):
        groff = subprocess.run(["sh", "-c", "command -v groff"], capture_output=True, check=False)
        if groff.returncode != 0:
            self.skipTest("groff is not installed")
        result = self.run_program(program=["groff", "-man", "-ww", "-z", "-Tutf8", self.man_file()])
        self.assertEqual((result.status, result.err), (OK, ""))

    def man_file(self):
        path = self.folder / "gpuadapt.1"
        path.write_bytes(self.run_ok("--print-man").out_bytes)
        return str(path)

    def complete(self, *words):
        (self.folder / "completion").write_bytes(self.run_ok("--print-completion").out_bytes)
        code = ('source ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gpuadapt; '
                'printf "%s\\n" "${COMPREPLY[@]}"')
        result = self.run_program(program=["bash", "--norc", "-c", code, "bash", *words])
        self.assertEqual((result.status, result.err), (OK, ""))
        return result.out.split()

    def test_completion_of_commands(self):
        self.assertEqual(self.complete("gpuadapt", "pr"), ["probe"])
        self.assertLessEqual(set(COMMANDS), set(self.complete("gpuadapt", "")))

    def test_completion_of_options_and_files(self):
        self.assertEqual(self.complete("gpuadapt", "perf", "--gp"), ["--gpus"])
        (self.folder / "run 1.json").touch()
        self.assertEqual(self.complete("gpuadapt", "report", "--record", "run"), ["run", "1.json"])


class Scripts(CliTest):
    """What they do is seen elsewhere; here they must do nothing."""

    def script_of_ours(self, name, *arguments):
        return self.run_program(program=[str(REPOSITORY / "scripts" / name), *arguments], timeout=30)

    def test_help(self):
        for name in ("quickstart", "test"):
            for option in ("--help", "-h"):
                result = self.script_of_ours(name, option)
                self.assert_status(result, OK)
                self.assertIn(f"./scripts/{name}", result.out)

    def test_what_they_do_not_know_is_refused(self):
        for name, *arguments in (("quickstart", "--foo"), ("quickstart", "one", "two"), ("test", "--foo"),
                                 ("test", "-L", "unit", "--no-such=1"), ("test", "unit")):
            with self.subTest(name=name, arguments=arguments):
                result = self.script_of_ours(name, *arguments)
                self.assertNotIn(result.status, (OK, 127), str(result))
                self.assertEqual(len(result.err.splitlines()), 1, str(result))
                self.assert_says(result, f"^{name}: ")


class Linking(CliTest):
    def test_names_no_library_of_the_host(self):
        """What belongs to the host is opened at run time, so that the program starts on a bare server."""
        result = self.run_program(program=["ldd", PROGRAM])
        self.assert_status(result, OK)
        hosts = "mpi|open-|pmix|ibverbs|rdmacm|ucp|cuda|cudart|nccl|nvidia|mc|mxsml|hip|rccl|rocm"
        self.assertNotRegex(result.out, rf"lib({hosts})")
        self.assertIn("libarchive", result.out)


if __name__ == "__main__":
    main()
