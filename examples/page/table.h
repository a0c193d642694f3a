// A table of figures.
//
//   Table table{"Attempts", {"phase", "bare", "forbear"}, {}};
//   table.rows.push_back({{"failing"}, {"46.2"}, {"1.13"}});
//   html += Html(table);
//
// Thread-safety: pure functions.
// Units:         as the cells say.
// Errors:        none; all texts are escaped.
#ifndef FORBEAR_EXAMPLES_PAGE_TABLE_H_
#define FORBEAR_EXAMPLES_PAGE_TABLE_H_

#include <string>
#include <vector>

namespace page {

struct Cell {
  Cell(std::string text) : text(std::move(text)) {}  // NOLINT
  Cell(const char* text) : text(text) {}             // NOLINT
  Cell(std::string text, std::string figure)
      : text(std::move(text)), figure(std::move(figure)) {}

  std::string text;
  // Its path in the program's JSON, by which a reader of the page may find it.
  std::string figure;
};

// The first cell of a row is its heading.
struct Table {
  std::string caption;
  std::vector<std::string> head;
  std::vector<std::vector<Cell>> rows;
};

// Within a region of its own, which scrolls where the table is too large.
std::string Html(const Table& table);

// Shut until the reader opens it.
std::string Details(const Table& table);

}  // namespace page

#endif  // FORBEAR_EXAMPLES_PAGE_TABLE_H_
