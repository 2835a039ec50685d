// SPDX-License-Identifier: MIT
// Ranks that are threads of this process, and one alone: what they exchange, in which order, and
// how they end together.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/comm/halo.hpp"
#include "dwell/execution/device/threads/waiting_cpu.hpp"

namespace dwell::test {
namespace {

class ranks : public testing::TestWithParam<int> {};

/// An assertion of another thread than the test's is counted; the test asks for it.
std::string name_of(const testing::TestParamInfo<int>& p) { return std::to_string(p.param); }

TEST_P(ranks, know_each_other) {
  std::atomic<int> ran{0};
  run_as_ranks(GetParam(), [&](std::shared_ptr<communicator> comm) {
    EXPECT_EQ(comm->size(), GetParam());
    EXPECT_STREQ(comm->transport(), "threads");
    ran += 1 << (4 * comm->rank());
  });
  int wanted = 0;
  for (int r = 0; r < GetParam(); ++r) wanted += 1 << (4 * r);
  EXPECT_EQ(ran, wanted) << "each number once";
}

TEST_P(ranks, gather_in_their_order) {
  run_as_ranks(GetParam(), [&](std::shared_ptr<communicator> comm) {
    for (int round = 0; round < 50; ++round) {
      const std::vector<int> all = values_of_ranks(*comm, 100 * round + comm->rank());
      ASSERT_EQ(all.size(), static_cast<std::size_t>(GetParam()));
      for (int r = 0; r < GetParam(); ++r)
        EXPECT_EQ(all[static_cast<std::size_t>(r)], 100 * round + r);
    }
    EXPECT_EQ(text_of_rank(*comm, GetParam() - 1, comm->rank() == GetParam() - 1 ? "last" : "no"),
              "last");
  });
}

// 1e16 + 1 - 1e16 depends on the order: that of the ranks, on all of them.
TEST_P(ranks, add_in_their_order) {
  const double of[] = {1e16, 1.0, -1e16, 3.0};
  double wanted = of[0];
  for (int r = 1; r < GetParam(); ++r) wanted += of[r];
  run_as_ranks(GetParam(), [&](std::shared_ptr<communicator> comm) {
    double mine[2] = {of[comm->rank()], 1.0};
    combine_over_ranks(*comm, mine, 2, [](double* to, const double* from) {
      to[0] += from[0];
      to[1] += from[1];
    });
    EXPECT_EQ(mine[0], wanted);
    EXPECT_EQ(mine[1], GetParam());
  });
}

// Every rank to every rank, itself too, two messages of different lengths, again and again.
TEST_P(ranks, exchange_messages) {
  const int n = GetParam();
  run_as_ranks(n, [&](std::shared_ptr<communicator> comm) {
    const int me = comm->rank();
    std::vector<std::vector<int>> out, in;
    std::vector<rank_message> to, from;
    for (int peer = 0; peer < n; ++peer)
      for (const int length : {3, 0, 1}) {
        out.emplace_back(static_cast<std::size_t>(length));
        in.emplace_back(static_cast<std::size_t>(length), -1);
        to.push_back({peer, out.back().data(), out.back().size() * sizeof(int)});
        from.push_back({peer, in.back().data(), in.back().size() * sizeof(int)});
      }
    const auto set = comm->messages(to, from);
    for (int round = 0; round < 20; ++round) {
      for (std::size_t k = 0; k < out.size(); ++k)
        std::iota(out[k].begin(), out[k].end(), 1000 * me + 100 * round + static_cast<int>(k % 3));
      set->start();
      set->finish();
      for (std::size_t k = 0; k < in.size(); ++k)
        for (std::size_t e = 0; e < in[k].size(); ++e)
          EXPECT_EQ(in[k][e], 1000 * static_cast<int>(k / 3) + 100 * round +
                                  static_cast<int>(k % 3) + static_cast<int>(e));
    }
  });
}

// A ring: each has the first element of the next rank as its ghost.
TEST_P(ranks, have_ghosts) {
  const int n = GetParam();
  run_as_ranks(n, [&](std::shared_ptr<communicator> comm) {
    halo_pattern ring;
    ring.own = 3;
    ring.ghosts = 1;
    ring.elements = {0};
    ring.sends = {{(comm->rank() + n - 1) % n, 0, 1}};
    ring.receives = {{(comm->rank() + 1) % n, 0, 1}};
    std::vector<double> v(4, comm->rank());
    halo_exchange exchange(*comm, ring, v.data(), sizeof(double));
    exchange.run();
    EXPECT_EQ(v[3], (comm->rank() + 1) % n);
    EXPECT_EQ(v[2], comm->rank()) << "own elements stay";
  });
}

// Elements of any size that vectors have: of the second one of each rank the next rank's ghost is
// a copy, byte by byte.
TEST_P(ranks, have_ghosts_of_every_size) {
  const int n = GetParam();
  run_as_ranks(n, [&](std::shared_ptr<communicator> comm) {
    const halo_pattern ring{
        2, 1, {1}, {{(comm->rank() + n - 1) % n, 0, 1}}, {{(comm->rank() + 1) % n, 0, 1}}, 0, 0};
    for (const std::size_t bytes : {4, 8, 16, 32, 64}) {
      const auto of = [&](int rank, std::size_t k) {
        return static_cast<unsigned char>(100 * rank + static_cast<int>(k));
      };
      std::vector<unsigned char> v(3 * bytes, 0);
      for (std::size_t k = 0; k < 2 * bytes; ++k) v[k] = of(comm->rank(), k);
      halo_exchange exchange(*comm, ring, v.data(), bytes);
      exchange.run();
      for (std::size_t k = 0; k < bytes; ++k) {
        EXPECT_EQ(v[2 * bytes + k], of((comm->rank() + 1) % n, bytes + k)) << bytes;
        EXPECT_EQ(v[k], of(comm->rank(), k)) << "own elements stay";
      }
    }
    std::vector<unsigned char> v(3 * 24);
    halo_exchange odd(*comm, ring, v.data(), 24);
    EXPECT_THROW(odd.start(), input_error);
  });
}

TEST_P(ranks, fail_together) {
  const int n = GetParam(), bad = n - 1;
  run_as_ranks(n, [&](std::shared_ptr<communicator> comm) {
    const auto fails = [&](auto&& e) {
      together(*comm, [&] {
        if (comm->rank() == bad) throw e;
      });
    };
    try {
      fails(unsupported_error("no such thing"));
      ADD_FAILURE() << "expected an exception on rank " << comm->rank();
    } catch (const unsupported_error& e) {
      EXPECT_STREQ(e.what(), "no such thing");
    }
    EXPECT_THROW(fails(device_error("gone")), device_error);
    EXPECT_THROW(fails(std::bad_alloc()), std::bad_alloc);
    EXPECT_THROW(fails(std::out_of_range("beyond")), std::runtime_error);
    EXPECT_EQ(together(*comm, [&] { return 7 + comm->rank(); }), 7 + comm->rank());
    const bool yes = together(*comm, [] { return true; });
    EXPECT_TRUE(yes);
  });
}

// Whoever leaves by an exception leaves nobody waiting.
TEST_P(ranks, end_when_one_fails) {
  const int n = GetParam();
  EXPECT_THROW(run_as_ranks(n,
                            [&](std::shared_ptr<communicator> comm) {
                              if (comm->rank() == n - 1) throw input_error("mine alone");
                              for (;;) values_of_ranks(*comm, 1);
                            }),
               input_error);
  std::atomic<int> ended{0};
  run_as_ranks(n, [&](std::shared_ptr<communicator> comm) {
    if (comm->rank() == n - 1) {
      comm->give_up(4);
    } else {
      try {
        for (;;) values_of_ranks(*comm, 1);
      } catch (const cpu_waiting::given_up&) {
        ++ended;
        throw;
      }
    }
  });
  EXPECT_EQ(ended, n - 1);
}

INSTANTIATE_TEST_SUITE_P(of, ranks, testing::Values(1, 2, 3, 4), name_of);

TEST(one_rank, is_its_own_neighbour) {
  const auto comm = self_communicator();
  EXPECT_EQ(comm->size(), 1);
  EXPECT_EQ(values_of_ranks(*comm, 5), std::vector<int>{5});
  int from = 3, to = 0;
  const auto set = comm->messages({{0, &from, sizeof from}}, {{0, &to, sizeof to}});
  from = 4;
  set->start();
  set->finish();
  EXPECT_EQ(to, 4);
  EXPECT_THROW(comm->messages({{0, &from, sizeof from}}, {}), input_error);
}

TEST(no_ranks, are_refused) {
  EXPECT_THROW(run_as_ranks(0, [](std::shared_ptr<communicator>) {}), input_error);
}

TEST(messages, of_other_lengths_are_refused) {
  EXPECT_THROW(
      run_as_ranks(2,
                   [](std::shared_ptr<communicator> comm) {
                     int v[2] = {};
                     const std::size_t bytes = comm->rank() == 0 ? 8 : 4;
                     comm->messages({{1 - comm->rank(), v, bytes}}, {{1 - comm->rank(), v, bytes}});
                   }),
      input_error);
}

}  // namespace
}  // namespace dwell::test
