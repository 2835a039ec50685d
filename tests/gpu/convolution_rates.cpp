// SPDX-License-Identifier: MIT
// Not a test: what kernels of convolutions that are compiled when they are needed cost, beside
// those that nvcc has compiled with this program, on the first GPU (docs/results/build.md).
//
//   convolution_rates first SIZE FILTER ALGORITHM   seconds of a set-up of f32: in an empty cache;
//                                                   again, in memory
//   convolution_rates rates SIZE TAPS               microseconds a call of both of TAPS x TAPS, and
//                                                   whether bits are equal
//
// DWELL_CACHE_DIR names the cache.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "ahead_convolutions.hpp"
#include "plain_convolution.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/solvers/arrays/convolution/cell_words.hpp"
#include "dwell/solvers/arrays/convolution/prepared.hpp"

namespace dwell::test {
namespace {

void first(int n, const std::string& filter, const std::string& algorithm) {
  (void)buffer<float>(device::cuda(0), 1);  // the context is in no time
  for (const char* when : {"first", "again"}) {
    stopwatch clock;
    convolution_options o;
    o.algorithm = algorithm;
    const prepared_convolution<float, float> made(device::cuda(0), extents(n, n), 1,
                                                  convolution_filter::named(filter), o,
                                                  planned_convolution_kernels());
    const double all = clock.lap();
    fmt::print("{} {}x{}: {} compile {:.3f} s, all {:.3f} s; {} passes, {}\n", filter, n, n, when,
               made.report().compile_s, all, made.report().passes, made.report().reason);
  }
}

template <class T>
void rates(int n, int taps) {
  const auto ahead = convolutions_compiled_ahead();
  const extents size(n, n);
  const auto image = noise<T>(size, 1);
  const auto in = buffer<T>::copy_of(device::cuda(0), image.cells());
  const auto filter = noise_filter(extents(taps, taps), 2);
  for (const char* algorithm : {"systolic", "window"}) {
    convolution_options o;
    o.algorithm = algorithm;
    o.passes = filter_passes::one;
    const prepared_convolution<T, T> runs[2] = {
        {device::cuda(0), size, 1, filter, o, ahead},
        {device::cuda(0), size, 1, filter, o, planned_convolution_kernels()}};
    const buffer<T> out[2] = {{device::cuda(0), size.cells()}, {device::cuda(0), size.cells()}};
    std::vector<double> us[2];
    constexpr int calls = 20;
    for (int repetition = 0; repetition < 12; ++repetition)
      for (int k = 0; k < 2; ++k) {
        runs[k].queue().finish();
        stopwatch clock;
        for (int call = 0; call < calls; ++call) runs[k].start(in.data(), out[k].data());
        runs[k].queue().finish();
        if (repetition > 1) us[k].push_back(clock.lap() * 1e6 / calls);
      }
    grid<T> ends[2] = {grid<T>(size), grid<T>(size)};
    for (int k = 0; k < 2; ++k) {
      std::sort(us[k].begin(), us[k].end());
      out[k].download(ends[k].cells());
    }
    const double a = us[0][us[0].size() / 2], b = us[1][us[1].size() / 2];
    const bool same = std::memcmp(ends[0].cells().data(), ends[1].cells().data(),
                                  ends[0].cells().size_bytes()) == 0;
    fmt::print("{} {} {}x{} {}x{}: nvcc {:.2f} us, {} {:.2f} us, {:+.2f} %, {}\n", algorithm,
               words_of_cells<T>.name, n, n, taps, taps, a, runs[1].report().compiler, b,
               100 * (b / a - 1), same ? "the same bits" : "OTHER BITS");
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace dwell::test

int main(int count, char** words) {
  const std::vector<std::string> w(words + 1, words + count);
  try {
    if (w.size() == 4 && w[0] == "first") {
      dwell::test::first(std::atoi(w[1].c_str()), w[2], w[3]);
    } else if (w.size() == 3 && w[0] == "rates") {
      dwell::test::rates<float>(std::atoi(w[1].c_str()), std::atoi(w[2].c_str()));
      dwell::test::rates<double>(std::atoi(w[1].c_str()), std::atoi(w[2].c_str()));
    } else {
      throw dwell::input_error("expected: first SIZE FILTER ALGORITHM, or rates SIZE TAPS");
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "convolution_rates: {}\n", e.what());
    return 1;
  }
  return 0;
}
