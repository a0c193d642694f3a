#include "examples/lab/lab_page.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "examples/lab/call_sections.h"
#include "examples/lab/fleet_section.h"
#include "examples/lab/herd_section.h"
#include "examples/lab/layers_section.h"
#include "examples/page/frame.h"
#include "examples/page/text.h"

namespace lab {
namespace {

std::string Lead(const Report& report) {
  const Report::Layers& worst =
      *std::max_element(report.layers.begin(), report.layers.end(),
                        [](const Report::Layers& a, const Report::Layers& b) {
                          return a.attempts < b.attempts;
                        });
  return page::Paragraph(
             absl::StrFormat(
                 "One request through %s sends %s attempts to a dependency "
                 "that is down. With forbear’s signal, %s.",
                 StackName(worst.stack), page::Number(worst.attempts),
                 page::Number(worst.with_signal)),
             "result") +
         page::Paragraph(
             "Each part below takes one rule of forbear’s and shows what it "
             "buys: on a manual clock, with the engine that runs in "
             "production, the same from run to run.");
}

}  // namespace

std::string LabPage(const Report& report, const FleetReport* fleet) {
  page::Frame frame;
  frame.title = "forbear’s lab: what each rule of retrying buys";
  frame.lead = Lead(report);
  frame.sections = {HerdSection(report), LayersSection(report),
                    DeadlineSection(report), PaymentAndTimersSection(report)};
  if (fleet != nullptr) frame.sections.push_back(FleetSection(*fleet));
  return page::Html(frame);
}

}  // namespace lab
