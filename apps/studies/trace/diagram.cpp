// SPDX-License-Identifier: MIT
// The palette is that of docs/pictures/draw.py, and follows the viewer's colour scheme as its
// pictures do.
#include "studies/trace/diagram.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/units.hpp"

namespace dwell::app {

access_record::access_record(std::int64_t lines, std::int64_t times)
    : lines_(static_cast<std::size_t>(lines)), times_(times) {}

void access_record::note(std::int64_t time, std::int64_t line, bool hit,
                         const std::vector<std::int64_t>& replaced) {
  for (const std::int64_t gone : replaced)
    lines_[static_cast<std::size_t>(gone)].cached.back().end = time;
  history& of = lines_[static_cast<std::size_t>(line)];
  if (!hit) {
    of.fetched.push_back(time);
    of.cached.push_back({time, -1});
  }
  if (!of.used.empty() && of.used.back().end >= time)
    of.used.back().end = time + 1;
  else
    of.used.push_back({time, time + 1});
}

void access_record::finish() {
  for (history& of : lines_)
    if (!of.cached.empty() && of.cached.back().end < 0) of.cached.back().end = times_;
}

namespace {

constexpr const char* style =
    "text{font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',Arial,sans-serif}"
    ".card{fill:#fff;stroke:#d0d7de}.plot{fill:#f6f8fa}.ink{fill:#1f2328}.soft{fill:#59636e}"
    ".rule{stroke:#57606a}.cached{fill:#9cc4f5}.used{fill:#1f4e8c}.fetched{fill:#cf222e}"
    "@media (prefers-color-scheme:dark){.card{fill:#161b22;stroke:#3d444d}.plot{fill:#21262d}"
    ".ink{fill:#f0f6fc}.soft{fill:#a5afba}.rule{stroke:#9aa4af}.cached{fill:#2a5b96}"
    ".used{fill:#b6d6ff}.fetched{fill:#ff7b72}}";

/// Where things are, in pixels.
constexpr double left = 96, plot_width = 780, right = 24, top = 74, title_height = 34,
                 panel_gap = 46;

std::string text(double x, double y, const std::string& words, double size, const char* paint,
                 const char* more = "") {
  return fmt::format("<text class=\"{}\" x=\"{:g}\" y=\"{:g}\" font-size=\"{:g}\"{}>{}</text>\n",
                     paint, x, y, size, more, words);
}

/// One path of rectangles in the units of the plot, which the caller scales.
class rectangles {
 public:
  void add(std::int64_t x, std::int64_t y, std::int64_t width) {
    path_ += fmt::format("M{} {}h{}v1h-{}z", x, y, width, width);
  }
  std::string svg(const char* paint) const {
    return path_.empty() ? "" : fmt::format("<path class=\"{}\" d=\"{}\"/>\n", paint, path_);
  }

 private:
  std::string path_;
};

/// The rectangles of a panel: cached below, then used, then fetched. A fetch is at least three
/// pixels wide.
std::string marks(const access_record& record) {
  const auto least = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(3 * static_cast<double>(record.times()) / plot_width));
  rectangles cached, used, fetched;
  for (std::size_t k = 0; k < record.lines().size(); ++k) {
    const auto y = static_cast<std::int64_t>(k);
    const auto& of = record.lines()[k];
    for (const auto& s : of.cached)
      if (s.end > s.begin) cached.add(s.begin, y, s.end - s.begin);
    for (const auto& s : of.used) used.add(s.begin, y, s.end - s.begin);
    for (const std::int64_t t : of.fetched) fetched.add(t, y, std::min(least, record.times() - t));
  }
  return cached.svg("cached") + used.svg("used") + fetched.svg("fetched");
}

double height_of(const trace::traced_problem& p) {
  return std::clamp(static_cast<double>(p.lines()) * 4, 160.0, 420.0);
}

/// The plot of a panel whose upper edge is at y.
std::string plot(const trace::traced_problem& p, const access_record& record, double y) {
  const double height = height_of(p);
  const double line = height / static_cast<double>(p.lines());
  std::string out =
      fmt::format("<rect class=\"plot\" x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\"/>\n",
                  left, y, plot_width, height);
  out += fmt::format(
      "<g transform=\"translate({:g} {:g}) scale({:.8g} {:.8g})\" "
      "shape-rendering=\"crispEdges\">\n",
      left, y, plot_width / static_cast<double>(record.times()), line);
  out += marks(record) + "</g>\n";
  for (const auto& a : p.arrays) {
    const double begin = y + static_cast<double>(a.first_line) * line;
    out += text(left - 10, begin + 12, a.name, 12, "ink", " text-anchor=\"end\"");
    out += text(left - 10, begin + 26, format_plural(a.lines, "line"), 10.5, "soft",
                " text-anchor=\"end\"");
    if (a.first_line > 0)
      out += fmt::format(
          "<line class=\"rule\" x1=\"{0:g}\" y1=\"{2:g}\" x2=\"{1:g}\" y2=\"{2:g}\" "
          "stroke-width=\"0.8\"/>\n",
          left, left + plot_width, begin);
  }
  return out;
}

std::string legend(double x, double y) {
  std::string out;
  for (const auto& [paint, words] :
       {std::pair{"fetched", "fetched"}, {"used", "used"}, {"cached", "in the cache"}}) {
    out += fmt::format("<rect class=\"{}\" x=\"{:g}\" y=\"{:g}\" width=\"12\" height=\"12\"/>\n",
                       paint, x, y - 10);
    out += text(x + 18, y, words, 12, "soft");
    x += 90;
  }
  return out;
}

}  // namespace

std::string diagram_svg(const std::string& title, const trace::traced_problem& problem, int threads,
                        const std::vector<diagram_panel>& panels) {
  const double panel = title_height + height_of(problem) + panel_gap;
  const double width = left + plot_width + right,
               height = top - 10 + panel * static_cast<double>(panels.size());
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\" role=\"img\"><title>{2}</title><style>{3}</style>\n"
      "<rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"{4:g}\" height=\"{5:g}\" rx=\"8\"/>\n",
      width, height, title, style, width - 1, height - 1);
  out += text(24, 34, title, 15, "ink", " font-weight=\"600\"");
  out += legend(24, 58);
  double y = top;
  for (const auto& p : panels) {
    out += text(left, y + title_height - 10, p.title, 13, "ink", " font-weight=\"600\"");
    out += plot(problem, p.record, y + title_height);
    const double below = y + title_height + height_of(problem) + 18;
    out += text(left, below,
                threads == 1 ? "time: tasks in their order"
                             : fmt::format("time: groups of {} tasks in their order", threads),
                11, "soft");
    out += text(left + plot_width, below, format_count(p.record.times()), 11, "soft",
                " text-anchor=\"end\"");
    y += panel;
  }
  return out + "</svg>\n";
}

}  // namespace dwell::app
