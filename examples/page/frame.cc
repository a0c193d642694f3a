#include "examples/page/frame.h"

#include "absl/strings/str_cat.h"
#include "examples/page/style.h"
#include "examples/page/text.h"

namespace page {
namespace {

constexpr char kHead[] = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>)";

std::string Contents(const std::vector<Section>& sections) {
  std::string html = "<nav aria-label=\"Contents\"><ul>";
  for (const Section& section : sections) {
    absl::StrAppend(&html, "<li><a href=\"#", Escape(section.id), "\">",
                    Escape(section.title), "</a></li>");
  }
  return html + "</ul></nav>\n";
}

}  // namespace

std::string Html(const Frame& frame) {
  std::string html = absl::StrCat(
      kHead, Escape(frame.title), "</title>\n<style>\n", kStyle,
      "</style>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
      "<header><h1>",
      Escape(frame.title), "</h1></header>\n<main id=\"main\" tabindex=\"-1\">",
      "\n", frame.lead, Contents(frame.sections));
  for (const Section& section : frame.sections) {
    absl::StrAppend(&html, "<section aria-labelledby=\"", Escape(section.id),
                    "\">\n<h2 id=\"", Escape(section.id), "\">",
                    Escape(section.title), "</h2>\n", section.body,
                    "</section>\n");
  }
  return html + "</main>\n</body>\n</html>\n";
}

std::string Paragraph(absl::string_view text, absl::string_view kind) {
  const std::string attribute =
      kind.empty() ? "" : absl::StrCat(" class=\"", kind, "\"");
  return absl::StrCat("<p", attribute, ">", Escape(text), "</p>\n");
}

std::string Html(const Figure& figure) {
  std::string html =
      absl::StrCat("<figure>\n<figcaption><h3>", Escape(figure.title), "</h3>",
                   figure.note.empty() ? "" : Paragraph(figure.note),
                   figure.legend, "</figcaption>\n<div class=\"drawings\">\n");
  for (size_t i = 0; i < figure.drawings.size(); ++i) {
    absl::StrAppend(&html, "<div>",
                    i < figure.names.size()
                        ? Paragraph(figure.names[i], "drawing-name")
                        : "",
                    figure.drawings[i], "</div>\n");
  }
  return absl::StrCat(html, "</div>\n", Details(figure.numbers), "</figure>\n");
}

std::string Beside(const Figure& one, const Figure& other) {
  return absl::StrCat("<div class=\"beside\">\n", Html(one), Html(other),
                      "</div>\n");
}

}  // namespace page
