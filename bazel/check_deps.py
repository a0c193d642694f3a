"""Checks that each C++ target names the library of every header it includes.

The system's headers are found with or without a label, and a header of ours
through any target on the way to it. So a dependency that is missing here would
show only in another workspace, or when a target in between changes.
"""

import re
import subprocess
import sys
import xml.etree.ElementTree as xml

# How the name of a header begins, and how the label of its library does.
_LIBRARIES = (
    (r"(absl/\w+)/", r"@com_google_absl//\1"),
    (r"grpc(pp)?/", "@com_github_grpc_grpc//:grpc++"),
    (r"g(test|mock)/", "@com_google_googletest//:gtest"),
    (r"nlohmann/", "@com_github_nlohmann_json//:json"),
    (r"hiredis/", "@com_github_redis_hiredis//:hiredis"),
    (r"benchmark/", "@com_github_google_benchmark//:benchmark"),
)


def cc_rules():
    """Name, files and deps of every cc_library, cc_binary and cc_test."""
    query = ["bazel", "query", "--output=xml", 'kind("cc_(library|binary|test) rule", //...)']
    found = subprocess.run(query, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if found.returncode != 0:
        sys.exit("bazel/check: bazel query failed:\n" + found.stderr.decode())
    for rule in xml.fromstring(found.stdout).iter("rule"):
        lists = {
            child.get("name"): [label.get("value") for label in child.iter("label")]
            for child in rule.iter("list")
        }
        yield (
            rule.get("name"),
            lists.get("srcs", []) + lists.get("hdrs", []),
            lists.get("deps", []),
        )


def path_of(label):
    return label[len("//"):].replace(":", "/").lstrip("/")


def is_named(header, deps, owners):
    """Whether the deps name the library of this header, if it is of one."""
    if header in owners:
        return owners[header] in deps
    for pattern, label in _LIBRARIES:
        match = re.match(pattern, header)
        if match:
            return any(dep.startswith(match.expand(label)) for dep in deps)
    return True


def main():
    rules = list(cc_rules())
    owners = {
        path_of(file): name
        for name, files, _ in rules
        for file in files
        if file.endswith(".h")
    }
    # A public door at the root names what is behind it.
    doors = {name: deps for name, _, deps in rules if name.startswith("//:")}
    missing = set()
    for name, files, deps in rules:
        deps = [*deps, *(behind for dep in deps for behind in doors.get(dep, ()))]
        for file in map(path_of, files):
            try:
                with open(file, encoding="utf-8") as text:
                    headers = re.findall(r'^#include ["<]([^">]+)[">]', text.read(), re.MULTILINE)
            except FileNotFoundError:  # Generated.
                continue
            missing.update(
                f"{name} does not name the library of {header}"
                for header in headers
                if owners.get(header) != name and not is_named(header, deps, owners)
            )
    for line in sorted(missing):
        print("bazel/check:", line, file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
