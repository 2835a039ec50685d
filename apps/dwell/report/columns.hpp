// SPDX-License-Identifier: MIT
// A table described once, as columns of rows of a type: the key for programs, the head for people,
// the unit in which people read the value, and the value. Text, Markdown, CSV and JSON follow from
// it. A value that is not known is null: "-" for people, empty in CSV.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "report/aligned_table.hpp"
#include "report/json.hpp"

namespace dwell::app {

/// How people read a value. Words stand left in their column, all else right.
enum class unit {
  word,      ///< text as it is
  yes,       ///< a boolean: "yes" or "-"
  range,     ///< text made of numbers
  count,     ///< 41,906
  number,    ///< three significant digits, in the unit of the value
  milli,     ///< digits of 1000 times the value: seconds as milliseconds
  giga,      ///< digits of the value in thousand millions: bytes per second as GB/s
  percent,   ///< 0.5 is "50 %"
  bytes,     ///< 506 KiB
  us,        ///< microseconds, as time with the unit that fits: 12.3 ms
  residual,  ///< 9.87e-09
};

/// `value` as people read it.
std::string shown(const json& value, unit in);

template <class Row>
struct column {
  using valuation = std::function<json(const Row&)>;
  using wording = std::function<std::string(const Row&)>;

  std::string key;   ///< its path in JSON and its head in CSV; empty: for people only
  std::string head;  ///< in text and Markdown; empty: for programs only
  unit in;
  valuation value;
  wording cell;  ///< for people, where they read more than the value; empty: shown()

  column(std::string key_, std::string head_, unit in_, valuation value_ = nullptr,
         wording cell_ = nullptr)
      : key(std::move(key_)),
        head(std::move(head_)),
        in(in_),
        value(std::move(value_)),
        cell(std::move(cell_)) {}
};

template <class Row>
using columns = std::vector<column<Row>>;

/// The table for people.
template <class Row>
aligned_table table_of(const columns<Row>& all, const std::vector<Row>& rows) {
  aligned_table out;
  for (const auto& c : all)
    if (!c.head.empty()) out.head(c.head, c.in != unit::word && c.in != unit::yes);
  for (const auto& row : rows) {
    std::vector<std::string> cells;
    for (const auto& c : all)
      if (!c.head.empty()) cells.push_back(c.cell ? c.cell(row) : shown(c.value(row), c.in));
    out.row(std::move(cells));
  }
  return out;
}

/// Adds the fields of a row to a JSON object.
template <class Row>
void add_fields(json& object, const columns<Row>& all, const Row& row) {
  for (const auto& c : all)
    if (!c.key.empty()) set_field(object, c.key, c.value(row));
}

/// An array of objects.
template <class Row>
json array_of(const columns<Row>& all, const std::vector<Row>& rows) {
  json out = json::array();
  for (const auto& row : rows) add_fields(out.emplace_back(json::object()), all, row);
  return out;
}

/// A value as a field of a CSV file, in quotes where it must be; of an array the elements, with
/// blanks between.
std::string csv_field(const json& value);
/// The fields with commas between, and a newline.
std::string csv_line(const std::vector<std::string>& fields);

template <class Row>
std::vector<std::string> csv_heads(const columns<Row>& all, const std::string& prefix = {}) {
  std::vector<std::string> out;
  for (const auto& c : all)
    if (!c.key.empty()) out.push_back(prefix + c.key);
  return out;
}
template <class Row>
std::vector<std::string> csv_fields(const columns<Row>& all, const Row& row) {
  std::vector<std::string> out;
  for (const auto& c : all)
    if (!c.key.empty()) out.push_back(csv_field(c.value(row)));
  return out;
}

/// A line of heads, then a line for each row.
template <class Row>
std::string csv_of(const columns<Row>& all, const std::vector<Row>& rows) {
  std::string out = csv_line(csv_heads(all));
  for (const auto& row : rows) out += csv_line(csv_fields(all, row));
  return out;
}

/// The columns of a part of a row, as columns of the row: `part` gives the part.
template <class Row, class Part, class Of>
columns<Row> columns_of_part(const columns<Part>& of_part, Of part) {
  columns<Row> out;
  for (const auto& c : of_part) {
    column<Row> lifted{c.key, c.head, c.in};
    if (c.value)
      lifted.value = [value = c.value, part](const Row& row) { return value(part(row)); };
    if (c.cell) lifted.cell = [cell = c.cell, part](const Row& row) { return cell(part(row)); };
    out.push_back(std::move(lifted));
  }
  return out;
}

template <class Row>
void append(columns<Row>& to, columns<Row> more) {
  for (auto& c : more) to.push_back(std::move(c));
}

}  // namespace dwell::app
