#include "examples/storm/story_page.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "examples/page/file.h"
#include "examples/page/frame.h"
#include "examples/page/table.h"
#include "examples/page/text.h"
#include "examples/storm/figure_rows.h"
#include "examples/storm/in_short.h"
#include "examples/storm/moments_section.h"
#include "examples/storm/orders_section.h"

namespace storm {
namespace {

// A figure a row, a course a column.
page::Section FiguresSection(const Story& story) {
  page::Table table{"all figures of all courses", {"figure"}, {}};
  for (const Course& course : story.courses) table.head.push_back(course.name);
  std::string notes;
  for (const FigureRow& row : FigureRows()) {
    std::vector<page::Cell> cells = {
        absl::StrCat(row.goes_on ? "– " : "", row.label)};
    for (const Course& course : story.courses) {
      cells.emplace_back(Shown(row, course.figures),
                         absl::StrCat(course.key, ".", row.key));
    }
    table.rows.push_back(cells);
    if (*row.note == '\0') continue;
    absl::StrAppend(&notes, "<dt>", page::Escape(row.label), "</dt><dd>",
                    page::Escape(row.note), "</dd>\n");
  }
  return {"figures", "All figures",
          absl::StrCat(page::Html(table), "<dl>\n", notes, "</dl>\n")};
}

}  // namespace

std::string StoryPage(const Story& story) {
  const Course& bare = story.courses.front();
  const Course& forbear = story.courses.back();
  const std::vector<const Course*> both = {&bare, &forbear};
  page::Frame frame;
  frame.title = "forbear: a shop in a storm";
  const Short in_short = InShort(story);
  frame.lead = absl::StrCat(page::Paragraph(in_short.attempts, "result"),
                            page::Html(AttemptsFigure(both)),
                            page::Paragraph(in_short.outcome),
                            page::Paragraph(story.set_up, "quiet"));
  frame.sections = {FiguresSection(story), MomentsSection(both)};
  if (!bare.orders.empty() || !forbear.orders.empty()) {
    frame.sections.push_back(OrdersSection(both));
  }
  return page::Html(frame);
}

absl::Status WritePage(const Story& story, absl::string_view path) {
  return page::WriteFile(path, StoryPage(story));
}

}  // namespace storm
