// SPDX-License-Identifier: MIT
// Compiled or interpreted, and why.
#include "dwell/execution/stencil/fields/kernel_choice.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/sha256.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/stencil/fields/definition_text.hpp"
#include "dwell/execution/stencil/fields/field_stage.hpp"
#include "dwell/execution/stencil/fields/kernel_cache.hpp"
#include "dwell/execution/stencil/fields/system_compiler.hpp"

namespace dwell {
namespace {

/// None of them changes a value: no contraction, no re-association. Errors of square roots set no
/// errno, and comparisons raise no traps, which loops of vectors need.
constexpr std::array options{"-x",
                             "c++",
                             "-std=c++17",
                             "-O3",
                             "-march=native",
                             "-ffp-contract=off",
                             "-fno-math-errno",
                             "-fno-trapping-math",
                             "-w",
                             "-fPIC",
                             "-shared"};

/// What -march=native depends on.
std::string this_cpu() {
  std::ifstream info("/proc/cpuinfo");
  std::string text, line;
  while (std::getline(info, line) && !line.empty())
    for (const char* word : {"vendor_id", "model name", "flags", "CPU", "Features"})
      if (line.starts_with(word)) text += line + '\n';
  return text;
}

struct compiled_program {
  std::vector<row_function> stages;
  std::string reason;  ///< if there are no stages, why
  double seconds = 0;
  file_origin origin;
  std::string not_kept;
};

/// Throws device_error with the compiler's word.
void compile_to(const std::string& file, const std::vector<std::string>& command,
                const std::string& text) {
  // The text stands beside the object: compilers read programs from files.
  const std::string source = file + ".cpp";
  std::ofstream out(source, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw device_error(fmt::format("{} cannot be written", source));
  auto all = command;
  all.insert(all.end(), {source, "-o", file});
  const process_end end = run_program(all);
  if (!end.success) throw device_error(fmt::format("{}: {}", command[0], first_error(end.output)));
}

compiled_program compile(const stencil_definition& definition, const char* real) {
  compiled_program made;
  const auto compiler = find_compiler(made.reason);
  if (!compiler) return made;
  const std::string text = cpu_program(definition, real);
  auto command = compiler->command;
  command.insert(command.end(), options.begin(), options.end());
  std::string facts;
  for (const auto& word : command) facts += word + '\n';
  const std::string key = hexadecimal(sha256(facts + compiler->version + this_cpu() + text));
  made.origin = {fmt::format("stencil {}, {}", definition.name(), real),
                 fmt::format("{}, {}", device::cpu(1).facts().name,
                             compiler->version.substr(0, compiler->version.find('\n')))};
  cached_kernel kernel;
  try {
    kernel = kernel_of_key(key, made.origin, [&](const std::string& file) {
      const lap_timer time(made.seconds);
      compile_to(file, command, text);
    });
  } catch (const device_error& e) {
    made.reason = e.what();
    return made;
  }
  for (std::size_t s = 0; s < definition.stages().size(); ++s) {
    const std::string name = fmt::format("dwell_stage_{}", s);
    made.stages.push_back(
        definition.stages()[s].computed.empty()
            ? nullptr
            : reinterpret_cast<row_function>(::dlsym(kernel.library, name.c_str())));
  }
  made.reason = kernel.compiled ? fmt::format("by {}", compiler->command[0]) : "from the cache";
  made.not_kept = kernel.not_kept;
  if (!made.not_kept.empty()) made.reason += "; not kept: " + made.not_kept;
  return made;
}

}  // namespace

template <class T>
chosen_kernel<T> choose_kernel(const stencil_definition& definition, std::string_view wanted) {
  constexpr std::array<std::string_view, 3> known{"auto", "compiled", "interpreted"};
  const auto check = [&](std::string_view word, const char* where) {
    if (std::ranges::find(known, word) == known.end())
      throw input_error(fmt::format("{}: expected auto, compiled or interpreted, found {}", where,
                                    found_word(word, known)));
  };
  check(wanted, "kernel");
  std::string asked = "as asked for";
  if (const char* variable = std::getenv("DWELL_STENCIL_KERNEL"); wanted == "auto" && variable) {
    check(variable, "DWELL_STENCIL_KERNEL");
    wanted = variable;
    asked = "as DWELL_STENCIL_KERNEL says";
  }
  if (wanted == "interpreted") return {interpreted_rows<T>(definition), "interpreted", asked, 0};
  compiled_program made = compile(definition, sizeof(T) == 8 ? "double" : "float");
  if (!made.stages.empty())
    return {std::make_unique<compiled_rows<T>>(std::move(made.stages)),
            "compiled",
            std::move(made.reason),
            made.seconds,
            std::move(made.origin),
            std::move(made.not_kept)};
  if (wanted == "compiled")
    throw unsupported_error(
        fmt::format("stencil {}: no compiled kernel: {}", definition.name(), made.reason));
  return {interpreted_rows<T>(definition), "interpreted", "no compiled kernel: " + made.reason, 0};
}

template chosen_kernel<double> choose_kernel(const stencil_definition&, std::string_view);
template chosen_kernel<float> choose_kernel(const stencil_definition&, std::string_view);

}  // namespace dwell
