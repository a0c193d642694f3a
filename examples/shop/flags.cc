#include "examples/shop/flags.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"

namespace shop {
namespace {

std::string& Program() {
  static std::string* const program = new std::string;
  return *program;
}

// The flags that these programs define, by name; Abseil brings its own.
std::map<std::string, absl::CommandLineFlag*> OurFlags() {
  std::map<std::string, absl::CommandLineFlag*> ours;
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (absl::StrContains(flag->Filename(), "examples/")) {
      ours.emplace(name, flag);
    }
  }
  return ours;
}

[[noreturn]] void ExitAfterHelp() {
  for (const auto& [name, flag] : OurFlags()) {
    std::printf("--%s: %s (default: %s)\n", name.c_str(), flag->Help().c_str(),
                flag->DefaultValue().c_str());
  }
  std::exit(0);
}

[[noreturn]] void ExitUnknown(absl::string_view argument) {
  const auto with_dashes = [](std::string* out, const auto& named) {
    absl::StrAppend(out, "--", named.first);
  };
  const std::string ours = absl::StrJoin(OurFlags(), ", ", with_dashes);
  ExitWrongValue(absl::StrCat(argument, ": no such flag; there are ",
                              ours.empty() ? "none" : ours));
}

// A flag and the value that an argument gives it.
struct Setting {
  absl::CommandLineFlag* flag = nullptr;
  std::string value;
  bool has_value = false;
};

// Reads "--name=value", "--name", and "--noname".
Setting ReadArgument(absl::string_view argument) {
  absl::string_view name = argument;
  if (!absl::ConsumePrefix(&name, "--")) ExitUnknown(argument);
  if (name == "help") ExitAfterHelp();
  Setting setting;
  const size_t equals = name.find('=');
  if (equals != absl::string_view::npos) {
    setting.has_value = true;
    setting.value = std::string(name.substr(equals + 1));
    name = name.substr(0, equals);
  }
  const auto flags = OurFlags();
  auto found = flags.find(std::string(name));
  if (found == flags.end() && !setting.has_value &&
      absl::ConsumePrefix(&name, "no")) {
    found = flags.find(std::string(name));
    if (found != flags.end() && !found->second->IsOfType<bool>()) {
      found = flags.end();
    }
    setting.has_value = true;
    setting.value = "false";
  }
  if (found == flags.end()) ExitUnknown(argument);
  setting.flag = found->second;
  if (!setting.has_value && setting.flag->IsOfType<bool>()) {
    setting.has_value = true;
    setting.value = "true";
  }
  return setting;
}

}  // namespace

bool AbslParseFlag(absl::string_view text, Port* port, std::string*) {
  return absl::SimpleAtoi(text, &port->number) && port->number >= 0 &&
         port->number <= 65535;
}

std::string AbslUnparseFlag(Port port) { return absl::StrCat(port.number); }

bool AbslParseFlag(absl::string_view text, Address* address, std::string*) {
  address->text = std::string(text);
  const size_t colon = text.rfind(':');
  int port = 0;
  return colon != absl::string_view::npos && colon > 0 &&
         absl::SimpleAtoi(text.substr(colon + 1), &port) && port >= 1 &&
         port <= 65535;
}

std::string AbslUnparseFlag(const Address& address) { return address.text; }

absl::Duration Span::time() const {
  absl::Duration time;
  return absl::ParseDuration(text, &time) ? time : absl::ZeroDuration();
}

bool AbslParseFlag(absl::string_view text, Span* span, std::string*) {
  absl::Duration time;
  span->text = std::string(text);
  return absl::ParseDuration(span->text, &time) &&
         time >= absl::ZeroDuration() && time < absl::InfiniteDuration();
}

std::string AbslUnparseFlag(const Span& span) { return span.text; }

void ParseFlagsOrExit(int argc, char** argv) {
  const absl::string_view path = argv[0];
  Program() = std::string(path.substr(path.rfind('/') + 1));
  for (int i = 1; i < argc; ++i) {
    Setting setting = ReadArgument(argv[i]);
    if (!setting.has_value && i + 1 < argc) setting.value = argv[++i];
    std::string error;
    if (!setting.flag->ParseFrom(setting.value, &error)) {
      ExitWrongValue(absl::StrCat("--", setting.flag->Name(), "=",
                                  setting.value, ": it takes ",
                                  setting.flag->Help()));
    }
  }
}

void ExitWrongValue(absl::string_view error) {
  std::fprintf(stderr, "%s: %s\n", Program().c_str(),
               std::string(error).c_str());
  std::exit(2);
}

}  // namespace shop
