// SPDX-License-Identifier: MIT
// A report as a table, one row per field: its name, its unit, one sentence, its value, and where it
// can be read. C's getters, JSON, printed reports, Python's classes and the tables of the manual
// loop over the rows. Private to the project.
#pragma once
#include <concepts>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace dwell {

/// Where a field can be read: text is what the command prints, repr what Python does.
enum class report_surface : unsigned { c = 1, python = 2, json = 4, text = 8, repr = 16 };
inline constexpr report_surface all_report_surfaces[] = {report_surface::c, report_surface::python,
                                                         report_surface::json, report_surface::text,
                                                         report_surface::repr};
constexpr report_surface operator|(report_surface a, report_surface b) {
  return static_cast<report_surface>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool holds(report_surface all, report_surface one) {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0;
}

/// What a value is. sizes: numbers along axes, the slowest one first.
enum class report_kind { flag, integer, number, text, numbers, sizes };
/// What a number counts or measures, which says how people read it.
enum class report_unit {
  none,
  count,
  bytes,
  cells,
  norm,      ///< norm of a vector
  relative,  ///< a residual over a norm
  bound,     ///< an estimate of which the size counts
  seconds,
  microseconds,
  cells_per_second,
  value  ///< value of a field
};

/// No value: monostate. A name of an enumeration is a text.
using report_value = std::variant<std::monostate, bool, long long, double, std::string,
                                  std::vector<double>, std::vector<long long>>;

namespace report_detail {

template <class T>
concept extents_like = requires(const T& n) {
  n.dims;
  n.z;
};

template <class T>
constexpr report_kind kind_of() {
  if constexpr (std::is_same_v<T, bool>)
    return report_kind::flag;
  else if constexpr (std::is_integral_v<T>)
    return report_kind::integer;
  else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>)
    return report_kind::number;
  else if constexpr (std::is_same_v<T, std::vector<double>>)
    return report_kind::numbers;
  else if constexpr (extents_like<T>)
    return report_kind::sizes;
  else
    return report_kind::text;
}

template <class T>
report_value value_of(const T& from) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double> ||
                std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<double>>)
    return from;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<long long>(from);
  else if constexpr (std::is_same_v<T, std::optional<double>>)
    return from ? report_value(*from) : report_value();
  else if constexpr (extents_like<T>)
    return from.dims == 3 ? std::vector<long long>{from.z, from.y, from.x}
                          : std::vector<long long>{from.y, from.x};
  else
    return to_string(from);
}

}  // namespace report_detail

/// How the value of a field is got.
template <class Report>
struct report_getter {
  report_kind kind;
  report_value (*value)(const Report&);
};
/// A member, or a member of a member: report_member<solve_report, &solve_report::setup,
/// &solve_setup::check_s>.
template <class Report, auto... Member>
constexpr report_getter<Report> report_member = {
    report_detail::kind_of<
        std::remove_cvref_t<decltype((std::declval<const Report&>().*....*Member))>>(),
    +[](const Report& r) { return report_detail::value_of((r.*....*Member)); }};

/// Why a field cannot be read on some surfaces.
struct report_absence {
  report_surface surfaces;
  const char* why;
};

template <class Report>
struct report_field {
  const char* name;  ///< name of the member; of C's getters, too
  report_unit unit;
  /// What it is, of a flag what is so where it is true; one sentence without its full stop.
  const char* help;
  report_getter<Report> is;
  /// Its path in the documents for programs; with "[]" of each right-hand side alone.
  const char* json = nullptr;
  /// Its path among the fields of each right-hand side, besides.
  const char* json_column = nullptr;
  /// Python's attribute, where it has another name: "setup.check_s" is one of `setup`.
  const char* python = nullptr;
  /// What a text may be; null: anything.
  std::vector<std::string> (*words)() = nullptr;
  /// What printed reports say where a flag is true; null: nothing.
  const char* says = nullptr;
  /// When it has no value, which is null in JSON; null: it always has one.
  const char* none = nullptr;
  /// Has this report a value of it? Null: if it is not empty (a text), finite (a number).
  bool (*given)(const Report&) = nullptr;
  report_absence absences[3] = {};

  std::string_view attribute() const { return python ? python : name; }
  /// Null: it is there.
  const char* why_not(report_surface there) const {
    for (const report_absence& one : absences)
      if (one.why && holds(one.surfaces, there)) return one.why;
    return nullptr;
  }
  bool is_on(report_surface there) const { return why_not(there) == nullptr; }
  report_value value(const Report& of) const { return is.value(of); }
  /// Without what means that there is none: the value as JSON has it.
  report_value value_or_none(const Report& of) const;
};

/// The type in the documents for programs: "integer or null".
std::string json_type(report_kind kind, bool may_be_null);
/// "s", "bytes", ...; empty where there is none.
std::string_view unit_name(report_unit unit);
/// How many digits of a number people read, as a format of Python and fmt: ".2e".
std::string_view number_format(report_unit unit);
/// "60x50x40".
std::string sizes_text(const std::vector<long long>& sizes);
/// Empty, or not finite.
bool says_nothing(const report_value& v);

template <class Report>
report_value report_field<Report>::value_or_none(const Report& of) const {
  if (given && !given(of)) return {};
  report_value v = value(of);
  return none && says_nothing(v) ? report_value() : v;
}

/// Throws std::logic_error if there is none: names stand in the source.
template <class Report>
const report_field<Report>& field_named(std::span<const report_field<Report>> all,
                                        std::string_view name) {
  for (const auto& one : all)
    if (one.name == name) return one;
  throw std::logic_error("no field of the report: " + std::string(name));
}

}  // namespace dwell
