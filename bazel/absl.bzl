"""@com_google_absl, made of Debian's libabsl-dev.

The compiler finds the headers by itself, so a label only has to tell the
linker. Inline code in one header calls into many of the 80 small libraries,
so every label names them all and the linker drops what a program never uses.
"""

# Package to targets, as upstream has them.
_LABELS = {
    "algorithm": ["algorithm", "container"],
    "base": ["base", "config", "core_headers", "dynamic_annotations", "endian", "log_severity"],
    "cleanup": ["cleanup"],
    "container": [
        "btree",
        "fixed_array",
        "flat_hash_map",
        "flat_hash_set",
        "inlined_vector",
        "node_hash_map",
        "node_hash_set",
    ],
    "debugging": ["failure_signal_handler", "leak_check", "stacktrace", "symbolize"],
    "flags": ["commandlineflag", "config", "flag", "marshalling", "parse", "reflection", "usage"],
    "functional": ["any_invocable", "bind_front", "function_ref"],
    "hash": ["hash"],
    "memory": ["memory"],
    "meta": ["type_traits"],
    "numeric": ["bits", "int128"],
    "random": ["bit_gen_ref", "distributions", "random", "seed_gen_exception", "seed_sequences"],
    "status": ["status", "statusor"],
    "strings": ["cord", "str_format", "strings"],
    "synchronization": ["synchronization"],
    "time": ["time"],
    "types": ["any", "compare", "optional", "span", "variant"],
    "utility": ["utility"],
}

_ALL = """
cc_library(
    name = "absl",
    linkopts = [
        "-Wl,--push-state,--as-needed",
        {libraries}
        "-Wl,--pop-state",
    ],
    visibility = ["//:__subpackages__"],
)
"""

_LABEL = """
alias(
    name = "{name}",
    actual = "//:absl",
    visibility = ["//visibility:public"],
)
"""

def _system_absl(ctx):
    found = ctx.execute(["sh", "-c", "ls /usr/lib/*/libabsl_*.so"])
    if found.return_code:
        fail("Abseil is not installed: apt-get install libabsl-dev")
    names = [path.split("/lib")[-1][:-len(".so")] for path in found.stdout.splitlines()]
    flags = ['"-l%s",' % name for name in names if not name.endswith("_test_util")]
    ctx.file("BUILD", _ALL.format(libraries = "\n        ".join(flags)))
    for package, targets in _LABELS.items():
        ctx.file(
            "absl/%s/BUILD" % package,
            "".join([_LABEL.format(name = name) for name in targets]),
        )

system_absl = repository_rule(
    implementation = _system_absl,
    local = True,
    doc = "Abseil's upstream labels over the libraries of the system.",
)
