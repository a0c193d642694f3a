"""The libraries forbear needs, under their upstream labels.

Each repository is made of the packages Debian 12 installs under /usr, so a
build needs no network. A workspace that defines one of them before it calls
forbear_deps() keeps its own.
"""

load("//bazel:absl.bzl", "system_absl")

def _system_library(name, build_file):
    if not native.existing_rule(name):
        native.new_local_repository(
            name = name,
            path = "/usr",
            build_file = build_file,
        )

def forbear_deps():
    """Defines every library repository that does not exist yet."""
    if not native.existing_rule("com_google_absl"):
        system_absl(name = "com_google_absl")
    _system_library("com_google_protobuf", "@forbear//bazel:protobuf.BUILD")
    _system_library("com_github_grpc_grpc", "@forbear//bazel:grpc.BUILD")
    _system_library("com_google_googletest", "@forbear//bazel:googletest.BUILD")
    _system_library("com_github_google_benchmark", "@forbear//bazel:benchmark.BUILD")
    _system_library("com_github_nlohmann_json", "@forbear//bazel:nlohmann_json.BUILD")
    _system_library("com_github_redis_hiredis", "@forbear//bazel:hiredis.BUILD")
