#include "examples/storm/story_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#include "examples/storm/figure_rows.h"

namespace storm {

std::string StoryJson(const Story& story) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Course& course : story.courses) {
    for (const FigureRow& row : FigureRows()) {
      nlohmann::ordered_json* place = &json[course.key];
      const std::vector<std::string> path = absl::StrSplit(row.key, '.');
      for (const std::string& name : path) place = &(*place)[name];
      const absl::optional<double> number = row.number(course.figures);
      if (!number.has_value()) continue;
      if (row.digits == 0) {
        *place = std::llround(*number);
      } else {
        *place = *number;
      }
    }
  }
  return json.dump(2) + "\n";
}

}  // namespace storm
