#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the sources to the layers of docs/architecture.md.

    scripts/check_layers.py [ROOT]     prints each breach as FILE:LINE: text; status 1 when there is one

Linking one library a layer does not stop anybody from including a header of a layer above, nor from opening a file
of the machine beside Root. This scan does. The table BELOW here is the design; CMakeLists.txt must say the same.
"""
import pathlib
import re
import sys

# layer -> the layers whose headers it may include, besides its own.
BELOW = {
    "core": [],
    "host": ["core"],
    "driver": ["host"],
    "ingest": ["core"],
    "probe": ["driver", "ingest"],
    "bench": ["probe", "ingest"],
    "check": ["core"],
    "report": ["core"],
    "cli": ["bench", "check", "report"],
}

# A foreign header, or the folder of several -> the target that brings it. Never in include/, and in src/ only where
# CMakeLists.txt gives the layer that target.
FOREIGN = {
    "CLI/": "CLI11::CLI11",
    "spdlog/": "spdlog::spdlog",
    "nlohmann/": "nlohmann_json::nlohmann_json",
    "archive.h": "LibArchive::LibArchive",
    "archive_entry.h": "LibArchive::LibArchive",
    "xlsxwriter.h": "XlsxWriter::XlsxWriter",
    "xlsxwriter/": "XlsxWriter::XlsxWriter",
    "pci/": "PkgConfig::LIBPCI",
    "hwloc.h": "PkgConfig::HWLOC",
    "hwloc/": "PkgConfig::HWLOC",
    "nettle/": "Nettle::Nettle",
    "mpi.h": "(none: opened with dlopen)",
    "infiniband/": "(none: opened with dlopen)",
    "cuda.h": "(none: opened with dlopen)",
    "cuda_runtime.h": "(none: opened with dlopen)",
    "nccl.h": "(none: opened with dlopen)",
}

# These only read values: they open nothing at all.
NO_FILES = ["core", "ingest", "check", "report", "probe"]
OPENS = r"(?<![\w.>])(?:fopen|freopen|open|open64|openat|opendir|readlink|(?:std::)?[io]?fstream\s+\w+|[io]?fstream|" \
        r"directory_iterator)\s*[({]"
MACHINE_PATH = OPENS + r'[^;]*"/(?:sys|proc|etc|dev)\b'
SHELL = r"(?<![\w.>])(?:std::)?(?:system|popen)\s*\("
PRINTS = r"\bstd::(?:cout|cerr|clog)\b|(?<![\w.>])(?:std::)?(?:printf|puts|putchar|perror)\s*\(|\bfmt::print\s*\(|" \
         r"\bfprintf\s*\(\s*std(?:out|err)\b"


def allowed(layer):
    """The layer itself and all below it."""
    seen, pending = set(), [layer]
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            pending += BELOW[name]
    return seen


def without_comments(text):
    """The same text, line for line, with comments blanked and strings kept."""
    pattern = r'R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/'

    def blank(match):
        found = match.group(0)
        return re.sub(r"[^\n]", " ", found) if found.startswith("/") else found

    return re.sub(pattern, blank, text, flags=re.S)


def without_strings(code):
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', code)


def read_cmake(root):
    """layer -> (DEPENDS, PRIVATE) as CMakeLists.txt says."""
    text = re.sub(r"#[^\n]*", "", (root / "CMakeLists.txt").read_text(encoding="utf-8"))
    layers = {}
    for body in re.findall(r"gpuadapt_layer\(([^)]*)\)", text):
        words, part = body.split(), "NAME"
        parts = {"NAME": [], "DEPENDS": [], "PRIVATE": []}
        for word in words:
            if word in parts:
                part = word
            else:
                parts[part].append(word)
        layers[parts["NAME"][0]] = (parts["DEPENDS"], parts["PRIVATE"])
    return layers


def check_cmake(layers):
    for name in sorted(set(BELOW) ^ set(layers)):
        yield f"CMakeLists.txt:1: layer {name} stands in only one of CMakeLists.txt and check_layers.py"
    for name in sorted(set(BELOW) & set(layers)):
        if sorted(layers[name][0]) != sorted(BELOW[name]):
            yield f"CMakeLists.txt:1: {name} DEPENDS {' '.join(layers[name][0])}, the design says {' '.join(BELOW[name])}"


def check_include(name, layer, public, libraries):
    """What is wrong with including `name` from `layer`, or None. `public`: from include/."""
    parts = name.split("/")
    if parts[0] == "gpuadapt":
        if len(parts) < 3 or parts[1] not in BELOW:
            return f"<{name}>: public headers are gpuadapt/<layer>/x.hpp"
        if parts[1] not in allowed(layer):
            return f"<{name}>: {layer} must not see {parts[1]}"
        return None
    if parts[0] == "..":
        return f'"{name}": paths that climb hide the layer'
    if len(parts) > 1 and parts[0] in BELOW:
        if public:
            return f'"{name}": a public header must not include a private one'
        if parts[0] != layer:
            return f'"{name}": a private header of {parts[0]}'
        return None
    for start, target in FOREIGN.items():
        if name == start or (start.endswith("/") and name.startswith(start)):
            if public:
                return f"<{name}>: stays out of public headers"
            if target not in libraries:
                return f"<{name}>: {layer} does not link {target}"
    return None


def check_file(path, shown, layer, public, libraries):
    code = without_comments(path.read_text(encoding="utf-8"))
    for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', code, re.M):
        problem = check_include(match.group(1), layer, public, libraries)
        if problem:
            yield f"{shown}:{code.count(chr(10), 0, match.start()) + 1}: {problem}"
    rules = [(SHELL, without_strings(code), "a shell: start programs with an argument list")]
    if layer != "host":
        rules.append((MACHINE_PATH, code, "a path of the machine is opened beside Root"))
    if layer in NO_FILES:
        rules.append((OPENS, without_strings(code), f"{layer} opens no files: it gets texts, or a Root"))
    if layer != "cli":
        rules.append((PRINTS, without_strings(code), "only cli prints"))
    for pattern, text, problem in rules:
        for match in re.finditer(pattern, text):
            yield f"{shown}:{text.count(chr(10), 0, match.start()) + 1}: {problem}"


def check_tree(root):
    layers = read_cmake(root)
    problems = list(check_cmake(layers))
    scanned = 0
    for top, public in (("include/gpuadapt", True), ("src", False)):
        for path in sorted((root / top).rglob("*.[hc]pp")):
            parts = path.relative_to(root / top).parts
            layer = parts[0] if len(parts) > 1 else "cli"  # src/main.cpp belongs to cli
            shown = path.relative_to(root).as_posix()
            if layer not in BELOW:
                problems.append(f"{shown}:1: {layer} is no layer")
                continue
            scanned += 1
            problems += check_file(path, shown, layer, public, layers.get(layer, ([], []))[1])
    if scanned == 0:
        problems.append(f"{root}: no sources found")
    return problems, scanned


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent.parent).resolve()
    problems, scanned = check_tree(root)
    for problem in problems:
        print(problem)
    print(f"{scanned} files scanned, {len(problems)} breaches")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
