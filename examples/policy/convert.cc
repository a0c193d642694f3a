#include "examples/policy/convert.h"

#include "absl/strings/str_cat.h"
#include "examples/policy/envoy.h"
#include "interceptors/policy_file/field_list.h"
#include "interceptors/policy_file/policy_writer.h"
#include "interceptors/server/server_options.h"

namespace policy_tool {
namespace {

void SayServer(const forbear::ServerOptions& server,
               std::vector<std::string>& lost) {
  for (const forbear::FieldValue& field :
       Differences(forbear::ListFields(server),
                   forbear::ListFields(forbear::ServerOptions()))) {
    lost.push_back(absl::StrCat("server: ", forbear::InWords({field}),
                                " is for servers of forbear: left out"));
  }
  for (const auto& [method, options] : server.methods) {
    lost.push_back(absl::StrCat("server, ", method, ": ",
                                forbear::InWords(forbear::ListFields(options)),
                                " is for servers of forbear: left out"));
  }
}

}  // namespace

absl::optional<Format> FormatOf(absl::string_view name) {
  if (name == "forbear") return Format::kForbear;
  if (name == "service-config") return Format::kServiceConfig;
  if (name == "envoy") return Format::kEnvoy;
  return absl::nullopt;
}

Conversion Convert(const forbear::Policy& policy, Format format,
                   const std::string& cluster) {
  Conversion result;
  switch (format) {
    case Format::kForbear:
      result.text = forbear::WritePolicy(policy);
      return result;
    case Format::kServiceConfig:
      result.text = forbear::WriteServiceConfig(policy.client, &result.lost);
      break;
    case Format::kEnvoy:
      result.text = WriteEnvoy(policy.client, cluster, &result.lost);
      break;
  }
  SayServer(policy.server, result.lost);
  return result;
}

}  // namespace policy_tool
