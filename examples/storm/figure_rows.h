// The figures of a storm, each with its name: for the terminal, the page and
// the JSON alike.
//
//   for (const FigureRow& row : FigureRows()) {
//     std::puts(absl::StrCat(row.label, " ", Shown(row, figures)).c_str());
//   }
//
// Thread-safety: pure functions.
// Units:         written in each label.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_FIGURE_ROWS_H_
#define FORBEAR_EXAMPLES_STORM_FIGURE_ROWS_H_

#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "examples/storm/figures.h"

namespace storm {

struct FigureRow {
  enum class Kind { kNumber, kShare };  // A share is shown as a percentage.

  const char* key;  // In the JSON; a point goes one level down.
  const char* label;
  const char* note;  // What it means, or nothing.
  // None: it was not seen.
  absl::optional<double> (*number)(const Figures& figures);
  int digits;  // Shown after the point.
  Kind kind = Kind::kNumber;
  bool goes_on = false;  // In the terminal, below the row before.
  // At the head of a column, two lines with a '|' between; or nothing: it has
  // none.
  const char* column = "";
};

const std::vector<FigureRow>& FigureRows();

// Such as "15,900", "97.4 %", or "not in 6".
std::string Shown(const FigureRow& row, const Figures& figures);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_FIGURE_ROWS_H_
