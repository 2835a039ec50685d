// SPDX-License-Identifier: MIT
// What a plan of perks may be asked to be, and how it is refused where that is not possible.
#include <gtest/gtest.h>

#include "refusal.hpp"

#include "dwell/stencil/solve.hpp"

namespace dwell::test {
namespace {

class stencil_requests : public testing::Test {
 protected:
  stencil_options request;

  template <class Error = unsupported_error>
  std::string refused(const char* shape = "2d5pt") {
    return refused<Error>(shape,
                          find_stencil_shape(shape).dims == 2 ? extents(5, 5) : extents(5, 5, 5));
  }
  template <class Error = unsupported_error>
  std::string refused(const char* shape, const extents& n) {
    request.shape = shape;
    request.executor = "perks";
    request.steps = 1;
    grid<double> u(n);
    return refusal<Error>([&] { solve(device::cpu(1), u, request); });
  }
};

TEST_F(stencil_requests, of_a_blocking_of_another_name) {
  request.blocking = "cubic";
  EXPECT_EQ(refused<input_error>(), "blocking: expected auto, spatial or temporal, found 'cubic'");
}

TEST_F(stencil_requests, of_a_traversal_of_another_name) {
  request.traversal = "spiral";
  EXPECT_EQ(refused<input_error>(),
            "traversal: expected auto, static, zig-zag or ring, found 'spiral'");
}

TEST_F(stencil_requests, of_an_order_of_rows_in_passes_of_several_steps) {
  request.blocking = "temporal";
  for (const std::string order : {"static", "zig-zag", "ring"}) {
    request.traversal = order;
    EXPECT_EQ(refused(), "traversal '" + order +
                             "': an order of rows is for passes of one step (blocking 'spatial'), "
                             "found blocking 'temporal'");
  }
}

TEST_F(stencil_requests, of_an_order_of_rows_where_none_stream) {
  for (const std::string order : {"static", "zig-zag", "ring"}) {
    request.traversal = order;
    const auto head = "traversal '" + order + "': nothing streams, all ";
    request.policy = "both";
    EXPECT_EQ(refused("2d5pt", {90, 60}), head + "rows of a tile fit in registers");
    EXPECT_EQ(refused("2d5pt", {290, 60}),
              head + "rows of a tile fit in registers and private memory");
    if (order != "static") {
      EXPECT_EQ(refused("3d7pt", {4, 5, 6}),
                "traversal '" + order +
                    "': this stencil has kernels for static only (there are others in two "
                    "dimensions)");
      continue;
    }
    EXPECT_EQ(refused("3d7pt", {4, 5, 6}), head + "planes of a block fit in private memory");
    EXPECT_EQ(refused("3d7pt", {10, 5, 6}),
              head + "planes of a block fit in registers and private memory");
    for (const char* policy : {"auto", "model", "measured", "greedy", "shared"}) {
      request.policy = policy;
      EXPECT_TRUE(refused("3d7pt", {10, 5, 6}).starts_with(head)) << policy;
    }
    for (const char* policy : {"none", "registers"}) {
      request.policy = policy;
      EXPECT_EQ(refused("3d7pt", {10, 5, 6}), "accepted") << policy;
    }
  }
}

TEST_F(stencil_requests, of_several_steps_between_exchanges_where_there_is_one) {
  request.depth = 2;
  EXPECT_EQ(refused("3d7pt"),
            "depth 2: in three dimensions there is 1 only, unless blocking is 'temporal'");
  request.edge = boundary::reflect;
  for (const char* blocking : {"auto", "spatial", "temporal"}) {
    request.blocking = blocking;
    EXPECT_EQ(refused(), "depth 2: with boundary 'reflect' there is 1 only");
  }
}

}  // namespace
}  // namespace dwell::test
