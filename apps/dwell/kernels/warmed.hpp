// SPDX-License-Identifier: MIT
// What the subcommands of `dwell kernels` share: GPUs that need not be here, kernels that are
// compiled for them and kept, and the report.
#pragma once
#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "report/columns.hpp"
#include "report/json.hpp"

#include "dwell/base/file_cache.hpp"
#include "dwell/base/precision.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"

namespace dwell::app {

/// Throws input_error where there is no folder that can be used.
file_cache usable_cache();
json document_of(const char* kind, const file_cache& cache);
/// Hands over a report for people, or the document.
exit_code hand_over(const destination& to, const std::string& text, const json& document);

struct warmed_kernel {
  std::string what, target;
  double seconds = 0;  ///< that compiling took; 0: it was there
};
columns<warmed_kernel> warmed_columns();

/// The report of `dwell kernels warm`. fields: of the document, besides.
exit_code hand_over_warmed(const destination& to, const file_cache& cache, const std::string& what,
                           const json& fields, const std::vector<warmed_kernel>& all);

/// Throws input_error if there is a reason.
void require_kept(const std::string& why_not);

/// "sm_90" or "sm_90a": 90.
int capability_of(const std::string& target);
/// Compiles what is not there, as many at once as there are processors, and adds all.
void warm_kernels(std::span<const kernel_source> sources, int capability,
                  std::vector<warmed_kernel>& all);

/// `dwell kernels list` and `dwell kernels clear`.
exit_code list_kernels(const destination& json_target);
exit_code clear_kernels(const destination& json_target);

/// Whether NAME is of small kernels, in any build: "reductions", "set-up of amg".
bool is_small_name(std::string_view name);
/// The units of that name, of this precision where they have one and the name has none. Empty: they
/// are in the library. Throws unsupported_error in a build without CUDA, input_error if there is no
/// such unit.
std::vector<kernel_source> small_sources(std::string_view name, precision type);

/// `dwell kernels warm convolve`.
command add_warm_convolve(CLI::App& subcommand);

}  // namespace dwell::app
