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

#include "dwell/base/cache_files.hpp"
#include "dwell/base/error.hpp"
#include "dwell/base/file_cache.hpp"
#include "dwell/base/sha256.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/execution/device/kernel_headers.hpp"
#include "dwell/execution/device/kernel_making.hpp"
#include "dwell/execution/device/kernel_store.hpp"
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

std::vector<std::string> options_for(const nvrtc& compiler, int compute_capability) {
  std::vector<std::string> options =
      kernel_options(compute_capability, compiler.major(), compiler.minor());
  if (keeps_source()) options.push_back("-lineinfo");
  return options;
}
std::vector<std::string> names_in(const kernel_source& source) {
  std::vector<std::string> kernels = {source.kernel};
  kernels.insert(kernels.end(), source.others.begin(), source.others.end());
  return kernels;
}

std::string key_by(const nvrtc& compiler, const kernel_source& source,
                   const std::vector<std::string>& options) {
  sha256_hash all;
  all.add_part("dwell kernel 1").add_part(source.text);
  for (const std::string& kernel : names_in(source)) all.add_part(kernel);
  all.add_part(kernel_headers_digest()).add_part(compiler.version()).add_part(compiler.build_id());
  for (const std::string& option : options) all.add_part(option);
  return hexadecimal(all.digest());
}

/// A cached file is the symbols, each with a line end, and the machine code.
std::string content_of(const std::vector<std::string>& symbols, const std::string& cubin) {
  return fmt::format("{}\n", fmt::join(symbols, "\n")) + cubin;
}
void put_content(const std::string& content, std::size_t kernels, compiled_kernel& out) {
  std::size_t begin = 0;
  for (std::size_t k = 0; k < kernels; ++k) {
    const std::size_t end = content.find('\n', begin);
    const std::string symbol = content.substr(begin, end - begin);
    k == 0 ? void(out.symbol = symbol) : out.others.push_back(symbol);
    begin = end + 1;
  }
  out.cubin = content.substr(begin);
}

/// All that does not have to be compiled.
compiled_kernel described(const nvrtc& compiler, const kernel_source& source,
                          const std::vector<std::string>& options) {
  compiled_kernel out;
  out.compiler = "NVRTC " + compiler.version();
  out.key = key_by(compiler, source, options);
  out.origin = {source.about.empty() ? source.kernel : source.about,
                options[0].substr(options[0].find('=') + 1) + ", " + out.compiler};
  return out;
}

compiled_kernel make(const nvrtc& compiler, const kernel_source& source,
                     const kernel_target& target) {
  check_capability(compiler, target.compute_capability);
  const std::vector<std::string> options = options_for(compiler, target.compute_capability);
  const std::vector<std::string> kernels = names_in(source);
  compiled_kernel out = described(compiler, source, options);

  const file_cache cache;
  stopwatch watch;
  const cached_file kept = cache.get(out.key + ".cubin", out.origin, [&] {
    const nvrtc_output made =
        compiler.compile(out.key + ".cu", source.text, kernels, kernel_headers(), options);
    if (!made.good)
      throw input_error(fmt::format("kernel {}: {} cannot compile it: {}", source.kernel,
                                    out.compiler, first_error(made.log)));
    return content_of(made.symbols, made.cubin);
  });
  out.found = kept.found;
  out.seconds = kept.found ? 0 : watch.lap();
  out.why_not_kept = kept.why_not;
  put_content(kept.content, kernels.size(), out);
  if (keeps_source()) keep_source(cache, out.key, source);
  return out;
}

}  // namespace

std::string key_of(const kernel_source& source, const kernel_target& target) {
  const nvrtc& compiler = nvrtc::library(target.driver_major);
  return key_by(compiler, source, options_for(compiler, target.compute_capability));
}

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

/// The kernels that this process has had. Never destroyed: statics may solve at their end.
class kernel_memory {
 public:
  using code = std::shared_ptr<const compiled_kernel>;
  code find(const std::string& name) const {
    const std::lock_guard lock(guard_);
    const auto at = all_.find(name);
    return at == all_.end() ? nullptr : at->second;
  }
  /// The one that was there first.
  code put(const std::string& name, code one) {
    const std::lock_guard lock(guard_);
    return all_.emplace(name, std::move(one)).first->second;
  }

 private:
  mutable std::mutex guard_;
  std::map<std::string, code> all_;
};
/// By this process, or from its cache: by the compiler, too.
kernel_memory& known() {
  static auto& all = *new kernel_memory;
  return all;
}
std::string known_name(const nvrtc& compiler, const kernel_source& source,
                       const kernel_target& target) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", target.compute_capability, keeps_source(),
                     compiler.build_id(), source.kernel, fmt::join(source.others, "\n"),
                     source.text);
}
/// Given by others: by common names.
kernel_memory& given() {
  static auto& all = *new kernel_memory;
  return all;
}

/// seconds: that compiling took this time.
std::shared_ptr<const compiled_kernel> compile_or_find(const kernel_source& source,
                                                       const kernel_target& target,
                                                       double& seconds) {
  seconds = 0;
  if (auto there = given().find(common_name(source, target))) return there;
  const nvrtc& compiler = nvrtc::library(target.driver_major);
  const std::string name = known_name(compiler, source, target);
  if (auto there = known().find(name)) return there;
  auto made = std::make_shared<const compiled_kernel>(make(compiler, source, target));
  seconds = made->seconds;
  return known().put(name, std::move(made));
}

class process_store final : public kernel_store {
 public:
  std::shared_ptr<const compiled_kernel> find(const kernel_source& source,
                                              const kernel_target& target) override {
    if (auto there = given().find(common_name(source, target))) return there;
    const nvrtc* const compiler = compiler_for(target);
    if (!compiler) return nullptr;
    const std::string name = known_name(*compiler, source, target);
    if (auto there = known().find(name)) return there;
    compiled_kernel kept =
        described(*compiler, source, options_for(*compiler, target.compute_capability));
    const file_cache cache;
    const auto content = find_in(cache, kept.key + ".cubin");
    if (!content) return nullptr;
    if (keeps_source()) keep_source(cache, kept.key, source);
    kept.found = true;
    put_content(*content, 1 + source.others.size(), kept);
    return known().put(name, std::make_shared<const compiled_kernel>(std::move(kept)));
  }
  bool has_compiler(const kernel_target& target) const override {
    return compiler_for(target) != nullptr;
  }
  compiled_kernels compile(std::span<const kernel_source> sources,
                           const kernel_target& target) override {
    return compile_kernels(sources, target);
  }
  void take(const kernel_source& source, const kernel_target& target,
            compiled_kernel code) override {
    std::vector<std::string> symbols = {code.symbol};
    symbols.insert(symbols.end(), code.others.begin(), code.others.end());
    const file_cache cache;
    const std::string name = code.key + ".cubin", content = content_of(symbols, code.cubin);
    if (find_in(cache, name) != content)
      code.why_not_kept = put_in(cache, name, code.origin, content);
    if (keeps_source()) keep_source(cache, code.key, source);
    given().put(common_name(source, target),
                std::make_shared<const compiled_kernel>(std::move(code)));
  }

 private:
  static const nvrtc* compiler_for(const kernel_target& target) {
    try {
      const nvrtc& compiler = nvrtc::library(target.driver_major);
      const std::vector<int> known = compiler.capabilities();
      return std::ranges::find(known, target.compute_capability) == known.end() ? nullptr
                                                                                : &compiler;
    } catch (const unsupported_error&) {
      return nullptr;
    }
  }
};

}  // namespace

kernel_store& kernels_of_process() {
  static auto& all = *new process_store;
  return all;
}

std::string common_name(const kernel_source& source, const kernel_target& target) {
  sha256_hash all;
  all.add_part("dwell kernel of ranks 1").add_part(source.text);
  for (const std::string& kernel : names_in(source)) all.add_part(kernel);
  all.add_part(kernel_headers_digest());
  all.add_part(
      fmt::format("{} {} {}", target.compute_capability, target.driver_major, keeps_source()));
  return hexadecimal(all.digest());
}

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
