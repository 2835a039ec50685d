// SPDX-License-Identifier: MIT
// dwell_options: the options of a solver with a table of their names.
#pragma once
#include <fmt/format.h>

#include <memory>
#include <span>

#include "dwell/base/error.hpp"
#include "dwell/bindings/c/named_values.hpp"
#include "dwell/dwell.h"

/// What dwell/dwell.h declares as opaque.
struct dwell_options {
  virtual ~dwell_options() = default;
  virtual void set(const char* name, const dwell::c_api::value& to) = 0;
  virtual void set_progress(dwell_progress_function function, void* user, double interval) = 0;
  /// Null past the last one.
  virtual const char* name(int k) const = 0;
};

namespace dwell::c_api {

/// `Table` has the static members rows(), a range of what has `name` and set(Options&, name,
/// value), what, solver and, where there is progress to tell, listen(Options&, function, user).
template <class Options, class Table>
struct options_by_name final : dwell_options {
  Options options;

  void set(const char* name, const value& to) override {
    row_named(Table::rows(), name, Table::what).set(options, name, to);
  }
  void set_progress(dwell_progress_function function, void* user, double interval) override {
    if constexpr (requires { options.progress; }) {
      options.progress = nullptr;
      if (function) Table::listen(options, function, user);
      options.progress_interval = interval;
    } else {
      (void)function, (void)user, (void)interval;
      throw input_error(
          fmt::format("options: expected those of a solver that tells its progress, found those of "
                      "{}",
                      Table::solver));
    }
  }
  const char* name(int k) const override {
    const auto rows = Table::rows();
    return k >= 0 && k < std::ssize(rows) ? rows[static_cast<std::size_t>(k)].name : nullptr;
  }

  /// The options of a handle, defaults for null. Throws input_error if they are another solver's.
  static Options of(const dwell_options* given) {
    if (!given) return {};
    if (const auto* mine = dynamic_cast<const options_by_name*>(given)) return mine->options;
    throw input_error(
        fmt::format("options: expected those of {}, found those of another solver", Table::solver));
  }
};

}  // namespace dwell::c_api
