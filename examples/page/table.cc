#include "examples/page/table.h"

#include "absl/strings/str_cat.h"
#include "examples/page/text.h"

namespace page {
namespace {

std::string Row(const std::vector<Cell>& cells) {
  std::string html = "<tr>";
  for (const Cell& cell : cells) {
    const bool heading = &cell == &cells.front();
    const std::string figure =
        cell.figure.empty()
            ? ""
            : absl::StrCat(" data-figure=\"", Escape(cell.figure), "\"");
    absl::StrAppend(&html, heading ? "<th scope=\"row\"" : "<td", figure, ">",
                    Escape(cell.text), heading ? "</th>" : "</td>");
  }
  return html + "</tr>\n";
}

}  // namespace

std::string Html(const Table& table) {
  // A region that scrolls has to be reached by keyboard.
  std::string html = absl::StrCat(
      "<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"",
      Escape(table.caption), "\"><table>\n<caption>", Escape(table.caption),
      "</caption>\n<thead><tr>");
  for (const std::string& name : table.head) {
    absl::StrAppend(&html, "<th scope=\"col\">", Escape(name), "</th>");
  }
  absl::StrAppend(&html, "</tr></thead>\n<tbody>\n");
  for (const std::vector<Cell>& row : table.rows) {
    absl::StrAppend(&html, Row(row));
  }
  return html + "</tbody></table></div>\n";
}

std::string Details(const Table& table) {
  return absl::StrCat("<details><summary>The numbers: ", Escape(table.caption),
                      "</summary>\n", Html(table), "</details>\n");
}

}  // namespace page
