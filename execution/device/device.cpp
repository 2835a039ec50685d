// SPDX-License-Identifier: MIT
// The parts of device and buffer that every build has; those of CUDA are in device_cuda.cpp, or in
// no_cuda.cpp where the build has none.
#include "dwell/device/device.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <thread>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "dwell/base/error.hpp"
#include "dwell/base/number_text.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/device/host_memory.hpp"
#include "dwell/execution/device/threads/thread_limit.hpp"

namespace dwell {
namespace {

#if defined(__x86_64__)
// Asks the processor. __builtin_cpu_supports() asks the compiler's own library, and that of some
// compilers (zig 0.17) always says no.
bool has_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned wanted = bit_FMA | bit_F16C | bit_OSXSAVE;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & wanted) != wanted) return false;
  unsigned kept = 0, high = 0;
  __asm__("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
  if ((kept & 6) != 6) return false;  // the operating system does not keep the registers of AVX
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
}
#endif

/// The kernels for CPUs are built for AVX2, FMA and F16C; without them the first one would be the
/// last.
void require_cpu() {
#if defined(__x86_64__)
  static const bool has = has_instructions();  // asked once: in a virtual machine cpuid is slow
  if (!has)
    throw device_error(
        "this processor has no AVX2, FMA and F16C, for which Dwell's CPU kernels are built");
#endif
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "CPU";
}

std::size_t from_sysconf(int name, std::size_t unit) {
  const long v = sysconf(name);
  return v > 0 ? static_cast<std::size_t>(v) * unit : 0;
}

/// The largest cache that the kernel lists; sysconf() computes its own from cpuid, which virtual
/// machines get wrong (320 MiB where there were 32).
std::size_t last_level_cache() {
  std::size_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream in("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    std::size_t size = 0;
    char unit = 0;
    if (!(in >> size >> unit)) continue;
    largest = std::max(largest, size << (unit == 'M' ? 20 : unit == 'K' ? 10 : 0));
  }
  return largest ? largest : from_sysconf(_SC_LEVEL3_CACHE_SIZE, 1);
}

constexpr std::size_t alignment = 128;  // a GPU's is more: types may ask for as much (run_words)

void copy_box(const device&, const box_copy& c) {
  for (std::size_t p = 0; p < c.planes; ++p)
    for (std::size_t r = 0; r < c.rows; ++r)
      std::memcpy(static_cast<char*>(c.to) + (p * c.to_plane_rows + r) * c.to_pitch,
                  static_cast<const char*>(c.from) + (p * c.from_plane_rows + r) * c.from_pitch,
                  c.bytes);
}

void* allocate_on_host(const device&, std::size_t bytes, fresh content) {
  const std::size_t rounded = (bytes + alignment) / alignment * alignment;
  void* p = std::aligned_alloc(alignment, rounded);
  if (!p)
    throw device_error(fmt::format("not enough memory: {} more are needed",
                                   byte_text(static_cast<double>(bytes))));
  return content == fresh::zeroed ? std::memset(p, 0, rounded) : p;
}

const memory_space cpu_memory = {allocate_on_host,
                                 [](const device& where, std::size_t bytes) {
                                   return allocate_on_host(where, bytes, fresh::unset);
                                 },
                                 [](const device&, void* p) { std::free(p); },
                                 [](const device&, void* to, const void* from, std::size_t bytes) {
                                   if (bytes) std::memcpy(to, from, bytes);
                                 },
                                 [](const device&, void* to, const void* from, std::size_t bytes) {
                                   if (bytes) std::memcpy(to, from, bytes);
                                 },
                                 copy_box,
                                 copy_box,
                                 [](const device&, void* to, const void* from, std::size_t bytes) {
                                   if (bytes) std::memcpy(to, from, bytes);
                                 },
                                 copy_box,
                                 [](const device&) {},
                                 true};

}  // namespace

std::string to_string(backend b) { return b == backend::cpu ? "cpu" : "cuda"; }

device device::cpu(int threads) {
  require_threads(threads);
  require_cpu();
  return {backend::cpu, 0, threads ? threads : default_threads(), threads == 0};
}

device device::cuda(int ordinal) {
  const cuda_presence present = find_cuda();
  if (present.devices == 0) throw device_error("no CUDA device: " + present.reason);
  if (ordinal < 0 || ordinal >= present.devices)
    throw device_error(
        fmt::format("expected a CUDA device from 0 to {}, found {}", present.devices - 1, ordinal));
  return {backend::cuda, ordinal, 1};
}

device device::on_stream(void* stream) const {
  if (on_ == backend::cpu)
    throw input_error("stream: expected a CUDA device, found a CPU, which has no streams");
  device d = *this;
  d.stream_ = stream;
  return d;
}

device device::best() { return find_cuda().devices > 0 ? cuda(0) : cpu(); }

device_facts device::facts() const {
  device_facts f;
  if (on_ == backend::cuda) {
    f = cuda_facts(ordinal_);
    f.limits = limits_;
    return f;
  }
  f.name = cpu_name();
  f.units = threads_;
  f.units_at_most = at_most_;
  f.shared_per_team = std::size_t{256} << 10;  // a private buffer: as much as a core's own cache
  f.memory = from_sysconf(_SC_PHYS_PAGES, from_sysconf(_SC_PAGESIZE, 1));
  f.memory_free = host_memory_free();
  f.l2 = last_level_cache();
  f.core_cache = from_sysconf(_SC_LEVEL2_CACHE_SIZE, 1);
  f.limits = limits_;
  return f;
}

const memory_space& memory_of(backend on) {
  return on == backend::cpu ? cpu_memory : cuda_memory();
}

}  // namespace dwell
