"""What Bazel itself asks for, from Debian's bazel-* packages and from here."""

def _written_repository(ctx):
    for path, content in ctx.attr.files.items():
        ctx.file(path, content)

written_repository = repository_rule(
    implementation = _written_repository,
    doc = "A repository whose files are written out in the rule.",
    attrs = {"files": attr.string_dict(doc = "Path to content.")},
)

# Debian's bazel-rules-cc is too new for Debian's Bazel.
_RULES_CC = """
cc_binary = native.cc_binary
cc_import = native.cc_import
cc_library = native.cc_library
cc_proto_library = native.cc_proto_library
cc_test = native.cc_test
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
"""

# Every cc_test names these, whether or not coverage is asked for.
_COVERAGE_TOOLS = """
package(default_visibility = ["//visibility:public"])

filegroup(name = "coverage_report_generator")

filegroup(name = "lcov_merger")
"""

_DEBIAN = {
    "bazel_skylib": "/usr/share/bazel/tools/skylib",
    "platforms": "/usr/share/bazel/platforms",
    "rules_java": "/usr/share/bazel/rules/java",
    "rules_proto": "/usr/share/bazel/rules/proto",
}

_WRITTEN = {
    "remote_coverage_tools": {"BUILD": _COVERAGE_TOOLS},
    "rules_cc": {"cc/BUILD": "", "cc/defs.bzl": _RULES_CC},
}

def forbear_tools():
    """Defines every tool repository that does not exist yet."""
    for name, path in _DEBIAN.items():
        if not native.existing_rule(name):
            native.local_repository(name = name, path = path)
    for name, files in _WRITTEN.items():
        if not native.existing_rule(name):
            written_repository(name = name, files = files)
