"""cc_grpc_library: the C++ services of a proto_library.

    cc_grpc_library(
        name = "shop_cc_grpc",
        srcs = [":shop_proto"],
        deps = [":shop_cc_proto"],
    )

Whoever depends on it includes "proto/shop.grpc.pb.h", the path from the
root of the workspace; the messages' header and gRPC itself come along.
"""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")
load("@rules_proto//proto:defs.bzl", "ProtoInfo")

def _generate(ctx, proto):
    """Runs the plugin over one proto_library; returns (headers, sources)."""
    headers = []
    sources = []
    for source in proto.direct_sources:
        stem = source.basename[:-len(source.extension)]
        headers.append(ctx.actions.declare_file(stem + "grpc.pb.h", sibling = source))
        sources.append(ctx.actions.declare_file(stem + "grpc.pb.cc", sibling = source))

    args = ctx.actions.args()
    args.add("--plugin=protoc-gen-grpc=" + ctx.executable._plugin.path)
    args.add("--grpc_out=" + ctx.bin_dir.path)
    args.add_all(proto.transitive_proto_path, format_each = "-I%s")
    args.add_all(proto.direct_sources)
    ctx.actions.run(
        executable = ctx.executable._protoc,
        arguments = [args],
        inputs = proto.transitive_sources,
        outputs = headers + sources,
        tools = [ctx.executable._plugin],
        mnemonic = "GenerateGrpc",
        progress_message = "Generating the gRPC services of %s" % ctx.label,
    )
    return headers, sources

def _cc_grpc_library(ctx):
    headers = []
    sources = []
    for src in ctx.attr.srcs:
        more_headers, more_sources = _generate(ctx, src[ProtoInfo])
        headers += more_headers
        sources += more_sources

    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    deps = [dep[CcInfo] for dep in ctx.attr.deps + [ctx.attr._grpc]]
    compiled, objects = cc_common.compile(
        name = ctx.label.name,
        actions = ctx.actions,
        cc_toolchain = toolchain,
        feature_configuration = features,
        public_hdrs = headers,
        srcs = sources,
        compilation_contexts = [dep.compilation_context for dep in deps],
    )
    linked, library = cc_common.create_linking_context_from_compilation_outputs(
        name = ctx.label.name,
        actions = ctx.actions,
        cc_toolchain = toolchain,
        feature_configuration = features,
        compilation_outputs = objects,
        linking_contexts = [dep.linking_context for dep in deps],
        disallow_dynamic_library = True,
    )
    return [
        CcInfo(compilation_context = compiled, linking_context = linked),
        DefaultInfo(files = depset(
            [f for f in [library.library_to_link.static_library] if f],
        )),
        OutputGroupInfo(generated = depset(headers + sources)),
    ]

cc_grpc_library = rule(
    implementation = _cc_grpc_library,
    attrs = {
        "srcs": attr.label_list(
            doc = "The proto_library rules whose services are wanted.",
            mandatory = True,
            providers = [ProtoInfo],
        ),
        "deps": attr.label_list(
            doc = "The cc_proto_library rules of the same messages.",
            mandatory = True,
            providers = [CcInfo],
        ),
        "_cc_toolchain": attr.label(
            default = "@bazel_tools//tools/cpp:current_cc_toolchain",
        ),
        "_grpc": attr.label(
            default = "@com_github_grpc_grpc//:grpc++",
            providers = [CcInfo],
        ),
        "_plugin": attr.label(
            default = "@com_github_grpc_grpc//:grpc_cpp_plugin",
            allow_single_file = True,
            cfg = "exec",
            executable = True,
        ),
        "_protoc": attr.label(
            default = "@com_google_protobuf//:protoc",
            allow_single_file = True,
            cfg = "exec",
            executable = True,
        ),
    },
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
