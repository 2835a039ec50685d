// SPDX-License-Identifier: MIT
// The functions of dwell/dwell.h that belong to no solver: errors, options and reports by name.
#include <string>

#include "dwell/bindings/c/options.hpp"
#include "dwell/bindings/c/report.hpp"
#include "dwell/bindings/c/status.hpp"
#include "dwell/dwell.h"
#include "dwell/version.hpp"

namespace dwell::c_api {
namespace {

/// Fixed memory: the message that memory is short needs none.
thread_local char last_error[1024] = "";

int set_option(dwell_options* options, const char* name, const auto& make_value) {
  return guarded([&] {
    require(options, "options");
    require(name, "name");
    options->set(name, make_value());
    return DWELL_SUCCESS;
  });
}

/// f(the value of this name).
template <class F>
int read_report(const dwell_report* report, const char* name, const void* to, F&& f) {
  return guarded([&] {
    require(report, "report");
    require(name, "name");
    require(to, "value");
    const std::span<const dwell_report::entry> all(report->entries);
    f(row_named(all, name, "a value of the report").is);
    return DWELL_SUCCESS;
  });
}

}  // namespace

void set_last_error(const char* message) noexcept {
  std::size_t n = 0;
  for (; message[n] && n + 1 < sizeof last_error; ++n) last_error[n] = message[n];
  last_error[n] = '\0';
}

}  // namespace dwell::c_api

using namespace dwell::c_api;

const char* dwell_last_error(void) { return last_error; }
const char* dwell_version(void) { return dwell::version(); }
int dwell_version_number(void) { return dwell::version_number(); }

void dwell_options_destroy(dwell_options* options) { delete options; }
int dwell_options_set_int(dwell_options* options, const char* name, long long to) {
  return set_option(options, name, [&] { return value(to); });
}
int dwell_options_set_double(dwell_options* options, const char* name, double to) {
  return set_option(options, name, [&] { return value(to); });
}
int dwell_options_set_text(dwell_options* options, const char* name, const char* to) {
  return set_option(options, name, [&] {
    require(to, "value");
    return value(std::string(to));
  });
}
int dwell_options_set_doubles(dwell_options* options, const char* name, const double* values,
                              std::size_t count) {
  return set_option(options, name, [&] {
    if (count > 0) require(values, "values");
    return value(std::vector<double>(values, values + count));
  });
}
const char* dwell_options_name(const dwell_options* options, int k) {
  return options ? options->name(k) : nullptr;
}
int dwell_options_set_progress(dwell_options* options, dwell_progress_function function, void* user,
                               double interval) {
  return guarded([&] {
    require(options, "options");
    options->set_progress(function, user, interval);
    return DWELL_SUCCESS;
  });
}

void dwell_report_destroy(dwell_report* report) { delete report; }
int dwell_report_int(const dwell_report* report, const char* name, long long* to) {
  return read_report(report, name, to,
                     [&](const value& found) { *to = expect<long long>(name, found); });
}
int dwell_report_double(const dwell_report* report, const char* name, double* to) {
  return read_report(report, name, to, [&](const value& found) { *to = number_of(name, found); });
}
int dwell_report_text(const dwell_report* report, const char* name, const char** to) {
  return read_report(report, name, to,
                     [&](const value& found) { *to = expect<std::string>(name, found).c_str(); });
}
int dwell_report_history(const dwell_report* report, const double** norms, std::size_t* count) {
  return guarded([&] {
    require(report, "report");
    require(norms, "norms");
    require(count, "count");
    *norms = report->history.data();
    *count = report->history.size();
    return DWELL_SUCCESS;
  });
}
const char* dwell_report_name(const dwell_report* report, int k) {
  return report && k >= 0 && k < static_cast<int>(report->entries.size())
             ? report->entries[static_cast<std::size_t>(k)].name
             : nullptr;
}
