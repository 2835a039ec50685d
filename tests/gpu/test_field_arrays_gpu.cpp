// SPDX-License-Identifier: MIT
// Fields and coefficients of a runner from and to arrays in a GPU's memory. Skipped, visibly,
// without the compiler of kernels at run time.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <vector>

#include "scratch.hpp"
#include "stencil_place.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/stencil/field_runner.hpp"

namespace dwell::test {
namespace {

class field_arrays_gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = stencil_place::absent(); !why.empty()) GTEST_SKIP() << why;
    try {
      nvrtc::library(cuda::target_of(stencil_place::where()).driver_major);
    } catch (const unsupported_error& e) {
      GTEST_SKIP() << e.what();
    }
    setenv("DWELL_CACHE_DIR", (folder_ / "cache").c_str(), 1);
  }
  ~field_arrays_gpu() override { unsetenv("DWELL_CACHE_DIR"); }
  scratch_folder folder_;
};

/// u = u + c * (u - v), v = u before: two fields that take each other's memory, and a coefficient.
stencil_definition two_fields(int dims) {
  std::vector<int> own(static_cast<std::size_t>(dims)), next = own;
  next.back() = 1;
  cell_tape t{"two", dims, {"u", "v"}, {"c"}, {}, {}, {}};
  t.nodes = {cell_node::tap(0, own), cell_node::tap(1, own), cell_node::tap(2, own),
             cell_node::tap(0, next)};
  t.nodes.push_back(cell_node::operation(cell_op::sub, 3, 1));
  t.nodes.push_back(cell_node::operation(cell_op::mul, 2, 4));
  t.nodes.push_back(cell_node::operation(cell_op::add, 0, 5));
  t.stages = {{{0, 6}, {1, 0}}};
  return stencil_definition(t);
}

template <class T>
void arrays_of_a_gpu_give_the_bits_of_the_host(unsigned seed) {
  std::mt19937 chance(seed);
  const auto drawn = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(chance);
  };
  const int dims = drawn(1, 3);
  std::vector<std::int64_t> size;
  std::size_t cells = 1;
  for (int a = 0; a < dims; ++a) {
    size.push_back(drawn(2, dims == 3 ? 20 : 200));
    cells *= static_cast<std::size_t>(size.back());
  }
  SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << dims << " dimensions");
  std::uniform_real_distribution<double> values(-0.1, 0.1);
  std::vector<std::vector<T>> host(3, std::vector<T>(cells));
  for (auto& array : host)
    for (T& v : array) v = static_cast<T>(values(chance));
  const bool stream_of_the_caller = drawn(0, 1) == 1;
  const work_queue queue(stencil_place::where());
  const device where = stream_of_the_caller ? queue.where() : stencil_place::where();

  field_runner<T> plain(where, two_fields(dims), size), there(where, two_fields(dims), size);
  std::vector<buffer<T>> given;
  for (int k = 0; k < 3; ++k) {
    given.push_back(buffer<T>::copy_of(queue.where(), host[static_cast<std::size_t>(k)]));
    if (!stream_of_the_caller) queue.finish();
    const device_span<const T> view{given.back().data(), cells, where.ordinal()};
    if (k < 2) {
      plain.set_field(k, host[static_cast<std::size_t>(k)]);
      there.set_field(k, view);
    } else {
      plain.set_coefficient(0, host[2]);
      there.set_coefficient(0, view);
    }
  }
  const int steps = drawn(0, 7);
  plain.run(steps);
  there.run(steps);
  for (int f = 0; f < 2; ++f) {
    std::vector<T> wanted(cells), found(cells);
    plain.field(f, wanted);
    buffer<T> out(queue.where(), cells);
    if (!stream_of_the_caller) queue.finish();
    there.field(f, device_span<T>{out.data(), cells, where.ordinal()});
    out.download(found);
    EXPECT_EQ(wanted, found) << "field " << f;
  }
}

TEST_F(field_arrays_gpu, give_the_bits_of_arrays_of_the_host) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    arrays_of_a_gpu_give_the_bits_of_the_host<double>(seed);
    arrays_of_a_gpu_give_the_bits_of_the_host<float>(seed + 100);
  }
}

TEST_F(field_arrays_gpu, what_is_elsewhere_is_refused_in_one_line) {
  field_runner<double> runner(stencil_place::where(), two_fields(2), {5, 6});
  std::vector<double> cells(30);
  const buffer<double> there(stencil_place::where(), 30);
  const auto refused = [](const std::string& what, auto&& f) {
    try {
      f();
      ADD_FAILURE() << "expected: " << what;
    } catch (const input_error& e) {
      EXPECT_NE(std::string(e.what()).find(what), std::string::npos) << e.what();
    }
  };
  const int ordinal = stencil_place::where().ordinal();
  refused("found memory of the host", [&] {
    runner.set_field(0, device_span<const double>{cells.data(), 30, ordinal});
  });
  refused("found a null pointer", [&] {
    runner.set_field(0, device_span<const double>{nullptr, 30, ordinal});
  });
  refused("found a view of device", [&] {
    runner.field(0, device_span<double>{there.data(), 30, ordinal + 1});
  });
  refused("expected 30 cells, found 29", [&] {
    runner.set_field(0, device_span<const double>{there.data(), 29, ordinal});
  });
  refused("pass it as a device_span", [&] {
    runner.set_field(0, std::span<const double>{there.data(), 30});
  });
}

}  // namespace
}  // namespace dwell::test
