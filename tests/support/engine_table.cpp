// SPDX-License-Identifier: MIT
// Reads and writes the rows of the file.
#include "engine_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <stdexcept>

#include "asked_options.hpp"

namespace dwell::test {
namespace {

constexpr const char* file = DWELL_TEST_DATA "/engines_golden.tsv";

std::vector<int> numbers(const std::string& text, char at) {
  std::vector<int> all;
  for (const auto& part : split(text, at)) all.push_back(std::stoi(part));
  return all;
}

}  // namespace

stencil_options engine_row_asked::options(std::size_t k) const {
  stencil_options o;
  o.shape = shape;
  o.executor = "perks";
  o.policy = policy;
  o.blocking = blocking;
  o.depth = depth;
  o.edge = edge;
  o.teams = teams[k];
  return o;
}

engine_table engine_table::read() {
  engine_table all;
  std::ifstream in(file);
  if (!in) throw std::runtime_error(fmt::format("{}: expected a readable file", file));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) {
      all.head += line + '\n';
      continue;
    }
    auto c = split(line, '\t');
    if (c.size() < 10) throw std::runtime_error(fmt::format("{}: expected 12 columns", line));
    c.resize(12);
    const auto n = numbers(c[3], 'x');
    all.rows.push_back({c[0], c[1], c[2] == "f32" ? precision::f32 : precision::f64,
                        n.size() == 2 ? extents(n[0], n[1]) : extents(n[0], n[1], n[2]),
                        parse_boundary(c[4]), c[5], c[6], std::stoi(c[7]), numbers(c[8], ','),
                        numbers(c[9], ','), c[10], c[11]});
  }
  return all;
}

void engine_table::write() const {
  std::ofstream out(file);
  out << head;
  for (const auto& r : rows)
    out << fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", r.kind, r.shape,
                       r.type == precision::f32 ? "f32" : "f64", to_string(r.size),
                       to_string(r.edge), r.policy, r.blocking, r.depth, fmt::join(r.steps, ","),
                       fmt::join(r.teams, ","), r.on_cpu, r.on_h200);
}

std::string engine_answer(const std::string& engine, bool all_in_registers) {
  return engine + (all_in_registers ? "+" : "");
}

std::string joined(const std::vector<std::string>& answers) {
  return fmt::format("{}", fmt::join(answers, " "));
}

}  // namespace dwell::test
