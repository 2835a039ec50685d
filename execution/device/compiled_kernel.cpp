// SPDX-License-Identifier: MIT
#include "dwell/execution/device/compiled_kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <mutex>
#include <string_view>

#include "dwell/base/error.hpp"
#include "dwell/base/file_cache.hpp"
#include "dwell/base/sha256.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/execution/device/kernel_headers.hpp"
#include "dwell/execution/device/kernel_making.hpp"
#include "dwell/execution/device/nvrtc.hpp"

namespace dwell {

const std::string& kernel_headers_digest() {
  static const auto& digest = *new const std::string([] {
    sha256_hash all;
    for (const kernel_header& h : kernel_headers()) all.add_part(h.name).add_part(h.text);
    return hexadecimal(all.digest());
  }());
  return digest;
}

namespace {

bool keeps_source() {
  const char* const text = std::getenv("DWELL_KEEP");
  return text && std::string_view(text) == "1";
}

void check_capability(const nvrtc& compiler, int capability) {
  const std::vector<int> known = compiler.capabilities();
  if (std::ranges::find(known, capability) == known.end())
    throw unsupported_error(fmt::format(
        "NVRTC {} ({}) compiles for compute capability {}, found a device of {}",
        compiler.version(), compiler.file().string(), fmt::join(known, ", "), capability));
}

/// The first line of a log that says what is wrong, without the words before it that every line
/// has.
std::string first_error(const std::string& log) {
  for (const std::string_view word : {"error: ", "error : "}) {
    const std::size_t at = log.find(word);
    if (at == std::string::npos) continue;
    const std::size_t line = log.rfind('\n', at);
    const std::size_t begin = line == std::string::npos ? 0 : line + 1;
    return log.substr(begin, log.find('\n', at) - begin);
  }
  return log.substr(0, log.find('\n'));
}

void put_file(const std::filesystem::path& file, std::string_view text) {
  std::error_code failed;
  std::filesystem::create_directories(file.parent_path(), failed);
  std::ofstream(file, std::ios::binary) << text;
}

/// Sources for profilers: the unit and the headers, by the names that the line numbers have.
void keep_source(const file_cache& cache, const std::string& key, const kernel_source& source) {
  if (cache.folder().empty()) return;
  const std::filesystem::path folder = cache.folder() / "kept";
  put_file(folder / (key + ".cu"), fmt::format("{}\n// {}\n", source.text, source.kernel));
  for (const kernel_header& h : kernel_headers()) put_file(folder / h.name, h.text);
}

/// A cached file is the symbols, each with a line end, and the machine code.
compiled_kernel make(const nvrtc& compiler, const kernel_source& source,
                     const kernel_target& target) {
  check_capability(compiler, target.compute_capability);
  std::vector<std::string> options =
      kernel_options(target.compute_capability, compiler.major(), compiler.minor());
  if (keeps_source()) options.push_back("-lineinfo");

  compiled_kernel out;
  out.compiler = "NVRTC " + compiler.version();
  sha256_hash all;
  all.add_part("dwell kernel 1").add_part(source.text);
  std::vector<std::string> kernels = {source.kernel};
  kernels.insert(kernels.end(), source.others.begin(), source.others.end());
  for (const std::string& kernel : kernels) all.add_part(kernel);
  all.add_part(kernel_headers_digest()).add_part(compiler.version()).add_part(compiler.build_id());
  for (const std::string& option : options) all.add_part(option);
  out.key = hexadecimal(all.digest());

  const file_cache cache;
  out.origin = {source.about.empty() ? source.kernel : source.about,
                options[0].substr(options[0].find('=') + 1) + ", " + out.compiler};
  stopwatch watch;
  const cached_file kept = cache.get(out.key + ".cubin", out.origin, [&] {
    const nvrtc_output made =
        compiler.compile(out.key + ".cu", source.text, kernels, kernel_headers(), options);
    if (!made.good)
      throw input_error(fmt::format("kernel {}: {} cannot compile it: {}", source.kernel,
                                    out.compiler, first_error(made.log)));
    return fmt::format("{}\n", fmt::join(made.symbols, "\n")) + made.cubin;
  });
  out.found = kept.found;
  out.seconds = kept.found ? 0 : watch.lap();
  out.why_not_kept = kept.why_not;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const std::size_t end = kept.content.find('\n', begin);
    const std::string symbol = kept.content.substr(begin, end - begin);
    k == 0 ? void(out.symbol = symbol) : out.others.push_back(symbol);
    begin = end + 1;
  }
  out.cubin = kept.content.substr(begin);
  if (keeps_source()) keep_source(cache, out.key, source);
  return out;
}

}  // namespace

std::string words_of(const kernel_making& making) {
  if (making.compiler.empty()) return {};
  return fmt::format(
      "; compiled when needed by {}{}", making.compiler,
      making.seconds > 0 ? fmt::format(" in {:.3g} s", making.seconds) : ", from the cache");
}

std::vector<std::string> kernel_options(int compute_capability, int major, int minor) {
  std::vector<std::string> options = {
      // with the features that compute capability 9.0 has alone, as the build
      fmt::format("--gpu-architecture=sm_{}{}", compute_capability,
                  compute_capability == 90 ? "a" : ""),
      "--std=c++20",
      "--fmad=false",
      "-default-device",
      "--modify-stack-limit=false",  // the limit would be the whole process's
      "--diag-suppress=1097,20012"};
  if (major > 12 || minor >= 9) options.push_back("--no-cache");  // Dwell's is enough
  return options;
}

namespace {

/// seconds: that compiling took this time.
std::shared_ptr<const compiled_kernel> compile_or_find(const kernel_source& source,
                                                       const kernel_target& target,
                                                       double& seconds) {
  seconds = 0;
  const nvrtc& compiler = nvrtc::library(target.driver_major);
  // Never destroyed: statics may solve at their end.
  static auto& guard = *new std::mutex;
  static auto& known = *new std::map<std::string, std::shared_ptr<const compiled_kernel>>;
  const std::string name =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}", target.compute_capability, keeps_source(),
                  compiler.build_id(), source.kernel, fmt::join(source.others, "\n"), source.text);
  {
    const std::lock_guard lock(guard);
    if (const auto at = known.find(name); at != known.end()) return at->second;
  }
  auto made = std::make_shared<const compiled_kernel>(make(compiler, source, target));
  seconds = made->seconds;
  const std::lock_guard lock(guard);
  return known.emplace(name, std::move(made)).first->second;
}

}  // namespace

std::shared_ptr<const compiled_kernel> compile_kernel(const kernel_source& source,
                                                      const kernel_target& target) {
  double seconds = 0;
  return compile_or_find(source, target, seconds);
}

compiled_kernels compile_kernels(std::span<const kernel_source> sources,
                                 const kernel_target& target) {
  compiled_kernels all;
  all.codes.resize(sources.size());
  std::vector<double> seconds(sources.size());
  const auto one = [&](std::size_t k) {
    all.codes[k] = compile_or_find(sources[k], target, seconds[k]);
  };
  if (sources.size() == 1) one(0);
  if (sources.size() > 1) {
    const auto told = making_listener::of_this_thread();
    std::mutex one_at_a_time;
    std::vector<std::future<void>> coming;
    for (std::size_t k = 0; k < sources.size(); ++k)
      coming.push_back(std::async(std::launch::async, [&, k] {
        const making_listener listener([&](const file_origin& begins) {
          const std::lock_guard lock(one_at_a_time);
          if (told) told(begins);
        });
        one(k);
      }));
    for (auto& other : coming) other.wait();
    for (auto& other : coming) other.get();
  }
  for (std::size_t k = 0; k < sources.size(); ++k) {
    all.compiler = all.codes[k]->compiler;
    all.seconds = std::max(all.seconds, seconds[k]);
  }
  return all;
}

}  // namespace dwell
