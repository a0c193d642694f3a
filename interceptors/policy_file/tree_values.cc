#include "interceptors/policy_file/tree_values.h"

#include <charconv>
#include <cmath>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "interceptors/policy_file/nearest_name.h"

namespace forbear {
namespace {

using Kind = Tree::Kind;

constexpr int kCodes = 17;

const std::vector<std::string>& CodeNames() {
  static const auto* const names = [] {
    auto* all = new std::vector<std::string>;
    for (int i = 0; i < kCodes; ++i) {
      all->push_back(
          absl::StatusCodeToString(static_cast<absl::StatusCode>(i)));
    }
    return all;
  }();
  return *names;
}

std::string Limits(absl::string_view min, absl::string_view max) {
  return max.empty() ? absl::StrCat("must be ", min, " or more")
                     : absl::StrCat("must be from ", min, " to ", max);
}

void OutOfRange(const Tree& tree, absl::string_view place,
                absl::string_view limits, absl::string_view remedy,
                Problems* problems) {
  problems->Error(
      place, absl::StrCat(tree.Show(), " is out of range, ", limits, remedy));
}

// Digits, perhaps a point and up to nine digits more.
std::optional<absl::Duration> Seconds(absl::string_view text) {
  const bool minus = absl::ConsumePrefix(&text, "-");
  const size_t point = text.find('.');
  const absl::string_view whole = text.substr(0, point);
  const absl::string_view fraction =
      point == absl::string_view::npos ? "" : text.substr(point + 1);
  if (whole.empty() || whole.size() > 12 || fraction.size() > 9 ||
      (point != absl::string_view::npos && fraction.empty())) {
    return std::nullopt;
  }
  for (char c : absl::StrCat(whole, fraction)) {
    if (!absl::ascii_isdigit(c)) return std::nullopt;
  }
  int64_t seconds = 0, nanos = 0;
  (void)absl::SimpleAtoi(whole, &seconds);
  if (!fraction.empty()) (void)absl::SimpleAtoi(fraction, &nanos);
  for (size_t i = fraction.size(); i < 9; ++i) nanos *= 10;
  const absl::Duration time = absl::Seconds(seconds) + absl::Nanoseconds(nanos);
  return minus ? -time : time;
}

std::optional<absl::Duration> Parsed(const Tree& tree, absl::string_view place,
                                     Problems* problems) {
  if (tree.kind == Kind::kText) {
    absl::string_view text = tree.text;
    if (absl::ConsumeSuffix(&text, "s")) {
      if (const auto time = Seconds(text)) return time;
    }
  }
  // A remedy where it is clear what was meant: 800ms, or a bare number.
  std::string remedy = "\"0.25s\"";
  absl::Duration meant;
  if (tree.kind == Kind::kText && absl::ParseDuration(tree.text, &meant) &&
      meant != absl::InfiniteDuration() && meant != -absl::InfiniteDuration()) {
    remedy = WriteText(WriteDuration(meant));
  } else if (tree.kind == Kind::kNumber && tree.number >= 0 &&
             tree.number < 1e9) {
    remedy = WriteText(WriteDuration(absl::Seconds(tree.number)));
  }
  problems->Error(
      place, absl::StrCat(tree.Show(), " is not a duration: write seconds, as ",
                          remedy));
  return std::nullopt;
}

// `google.protobuf.Duration` as text format writes it.
std::optional<absl::Duration> Message(const Tree& tree, absl::string_view place,
                                      Problems* problems) {
  absl::Duration time;
  for (size_t i = 0; i < tree.items.size(); ++i) {
    const std::string field = absl::StrCat(place, ".", tree.names[i]);
    const bool seconds = tree.names[i] == "seconds";
    if (!seconds && tree.names[i] != "nanos") {
      problems->Error(field, "unknown field; known are seconds and nanos");
      return std::nullopt;
    }
    const auto value = ReadWhole(
        tree.items[i], field,
        {seconds ? -1e12 : -999999999, seconds ? 1e12 : 999999999}, problems);
    if (!value) return std::nullopt;
    time += seconds ? absl::Seconds(*value) : absl::Nanoseconds(*value);
  }
  return time;
}

}  // namespace

std::optional<absl::Duration> ReadDuration(const Tree& tree,
                                           absl::string_view place,
                                           DurationRange range,
                                           Problems* problems) {
  const auto time = tree.kind == Kind::kObject && tree.text_format
                        ? Message(tree, place, problems)
                        : Parsed(tree, place, problems);
  if (!time) return std::nullopt;
  if (*time >= range.min && *time <= range.max) return time;
  const std::string limits = Limits(
      WriteDuration(range.min),
      range.max == absl::InfiniteDuration() ? "" : WriteDuration(range.max));
  problems->Error(
      place, absl::StrCat(WriteDuration(*time), " is out of range, ", limits));
  return std::nullopt;
}

std::optional<double> ReadNumber(const Tree& tree, absl::string_view place,
                                 NumberRange range, Problems* problems) {
  if (tree.kind != Kind::kNumber) {
    double meant;
    const bool quoted = tree.kind == Kind::kText &&
                        absl::SimpleAtod(tree.text, &meant) &&
                        std::isfinite(meant);
    problems->Error(place,
                    absl::StrCat(tree.Show(), " is not a number",
                                 quoted ? absl::StrCat(": write ", tree.text,
                                                       " without quotes")
                                        : ""));
    return std::nullopt;
  }
  if (tree.number >= range.min && tree.number <= range.max &&
      std::isfinite(tree.number)) {
    return tree.number;
  }
  OutOfRange(tree, place,
             Limits(WriteNumber(range.min),
                    std::isfinite(range.max) ? WriteNumber(range.max) : ""),
             "", problems);
  return std::nullopt;
}

std::optional<int64_t> ReadWhole(const Tree& tree, absl::string_view place,
                                 NumberRange range, Problems* problems,
                                 absl::string_view remedy) {
  if (tree.kind == Kind::kNumber) {
    if (std::isfinite(tree.number) && std::floor(tree.number) != tree.number) {
      problems->Error(
          place, absl::StrCat(tree.Show(), " is not a whole number", remedy));
      return std::nullopt;
    }
    if (!(tree.number >= range.min && tree.number <= range.max)) {
      OutOfRange(tree, place,
                 Limits(WriteNumber(range.min),
                        std::isfinite(range.max) ? WriteNumber(range.max) : ""),
                 remedy, problems);
      return std::nullopt;
    }
  }
  const auto number = ReadNumber(tree, place, {-9e15, 9e15}, problems);
  if (!number) return std::nullopt;
  return static_cast<int64_t>(*number);
}

std::optional<bool> ReadFlag(const Tree& tree, absl::string_view place,
                             Problems* problems) {
  if (tree.kind == Kind::kFlag) return tree.flag;
  problems->Error(place, absl::StrCat(tree.Show(),
                                      " is neither true nor false (without "
                                      "quotes)"));
  return std::nullopt;
}

std::optional<std::string> ReadName(const Tree& tree, absl::string_view place,
                                    Problems* problems) {
  auto text = ReadText(tree, place, problems);
  if (!text || text->find(' ') == std::string::npos) return text;
  problems->Error(place, absl::StrCat(tree.Show(), " has spaces: no name has"));
  return std::nullopt;
}

std::optional<std::string> ReadText(const Tree& tree, absl::string_view place,
                                    Problems* problems) {
  if (tree.kind != Kind::kText) {
    problems->Error(
        place, absl::StrCat(tree.Show(), " is not text: put it in quotes"));
    return std::nullopt;
  }
  for (char c : tree.text) {
    if (!absl::ascii_isprint(c)) {
      problems->Error(place, absl::StrCat(tree.Show(),
                                          " has characters that are not "
                                          "printable ASCII"));
      return std::nullopt;
    }
  }
  return tree.text;
}

std::optional<absl::StatusCode> ReadCode(const Tree& tree,
                                         absl::string_view place,
                                         Problems* problems) {
  const bool named = tree.kind == Kind::kText || tree.kind == Kind::kWord;
  for (int i = 0; i < kCodes; ++i) {
    if (named ? absl::EqualsIgnoreCase(tree.text, CodeNames()[i])
              : tree.kind == Kind::kNumber && tree.number == i) {
      return static_cast<absl::StatusCode>(i);
    }
  }
  const std::string nearest =
      named ? NearestName(tree.text, CodeNames()) : std::string();
  problems->Error(
      place,
      absl::StrCat(tree.Show(), " is not a status code",
                   nearest.empty() ? ", such as UNAVAILABLE or 14"
                                   : absl::StrCat("; is it ", nearest, "?")));
  return std::nullopt;
}

std::string WriteDuration(absl::Duration value) {
  if (value < absl::ZeroDuration()) return "-" + WriteDuration(-value);
  absl::Duration rest;
  const int64_t seconds = absl::IDivDuration(value, absl::Seconds(1), &rest);
  const int64_t nanos = rest / absl::Nanoseconds(1);
  if (nanos == 0) return absl::StrCat(seconds, "s");
  std::string fraction = absl::StrCat(absl::Dec(nanos, absl::kZeroPad9));
  while (fraction.back() == '0') fraction.pop_back();
  return absl::StrCat(seconds, ".", fraction, "s");
}

std::string WriteNumber(double value) {
  if (std::floor(value) == value && std::abs(value) < 1e15) {
    return absl::StrCat(static_cast<int64_t>(value));
  }
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  return std::string(text, end);
}

std::string WriteCode(absl::StatusCode code) {
  return absl::StatusCodeToString(code);
}

std::string WriteText(absl::string_view text) {
  std::string written = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      written += '\\';
      written += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppend(&written, "\\u", absl::Hex(c, absl::kZeroPad4));
    } else {
      written += c;
    }
  }
  return written + "\"";
}

}  // namespace forbear
