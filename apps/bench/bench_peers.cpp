// SPDX-License-Identifier: MIT
// bench-peers: microseconds in which the GPUs of one host meet, and in which they add up values
// that are divided among them: by flags in each other's memory, by launches and events, by threads
// of the host, by NCCL (Zhang 2023, 3.4.3 and 3.6.3). A run of many rounds less a run of few leaves
// the rounds alone (eq. 3.4). Prints a JSON object per measurement and line. See
// scripts/measure/multi-gpu.py.
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "nccl_calls.hpp"
#include "peer_group.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/cuda_check.hpp"

namespace dwell::bench {
namespace {

struct request {
  std::vector<int> devices, counts, sizes = {10, 12, 14, 16, 18, 20, 22, 24, 26, 28};
  std::vector<std::string> only;
  int rounds = 5000, repetitions = 7;
  double timeout = 10;
};

class bench {
 public:
  explicit bench(const request& q) : q_(q) {}

  /// All of it for so many peers.
  void measure(int count) {
    const std::vector<int> devices(q_.devices.begin(), q_.devices.begin() + count);
    cudaDeviceProp facts{};
    DWELL_CUDA(cudaGetDeviceProperties(&facts, devices.front()));
    device_name_ = facts.name;
    group_ = std::make_unique<peer_group>(devices, q_.timeout);
    why_no_nccl_.clear();
    if (count == 1)
      why_no_nccl_ = "one peer has no messages";
    else if (group_->shared())
      why_no_nccl_ = "peers share a GPU";
    else
      try {
        nccl_ = std::make_unique<nccl_peers>(devices);
      } catch (const error& e) {
        why_no_nccl_ = e.what();
        failed_ = failed_ || !dynamic_cast<const unsupported_error*>(&e);
      }
    if (wanted("barriers")) barriers();
    if (wanted("reductions")) reductions();
    nccl_.reset();
    group_.reset();
  }
  bool failed() const { return failed_; }

 private:
  bool wanted(const std::string& what) const {
    return q_.only.empty() || std::find(q_.only.begin(), q_.only.end(), what) != q_.only.end();
  }

  // Rows.

  std::string head(const std::string& what, const std::string& by) const {
    return fmt::format(R"({{"what":"{}","by":"{}","peers":{},"shared":{},"device":"{}")", what, by,
                       group_->size(), group_->shared(), device_name_);
  }
  /// run(rounds): seconds. What fails is a line of its own, and the rest goes on.
  void add(const std::string& what, const std::string& by, const std::string& more, int rounds,
           std::size_t bytes, const std::function<double(int)>& run) {
    const int few = std::max(1, rounds / 10);
    std::vector<double> us;
    try {
      (void)run(few);
      for (int k = 0; k < q_.repetitions; ++k) {
        const double start = run(few);
        us.push_back((run(few + rounds) - start) / rounds * 1e6);
      }
    } catch (const std::exception& e) {
      failed_ = true;
      skip(what, by, more, e.what());
      return;
    }
    std::sort(us.begin(), us.end());
    const double median = us[us.size() / 2];
    std::string rate;
    if (bytes > 0)
      rate = fmt::format(R"(,"gb_per_s":{:.2f})", static_cast<double>(bytes) / median * 1e-3);
    fmt::print(R"({}{},"rounds":{},"us":{:.4f},"least_us":{:.4f},"most_us":{:.4f}{}}})"
               "\n",
               head(what, by), more, rounds, median, us.front(), us.back(), rate);
    std::fflush(stdout);
  }
  void skip(const std::string& what, const std::string& by, const std::string& more,
            std::string why) const {
    std::replace(why.begin(), why.end(), '"', '\'');
    fmt::print(R"({}{},"why":"{}"}})"
               "\n",
               head(what, by), more, why);
    std::fflush(stdout);
  }

  // Barriers.

  void barriers() {
    const int units = group_->units(0);
    by_flags(1, 32);
    for (const auto& [each, lanes] :
         {std::pair{1, 32}, {1, 256}, {1, 1024}, {2, 1024}, {8, 256}, {32, 64}})
      by_flags(each * units, lanes);
    by_threads();
    by_events();
    by_recorded_events();
    by_nccl("nccl-all-reduce", [this](int k, peer_place& p) {
      nccl_->all_reduce(k, &p.mine, &p.reduced, (*group_)[k].stream);
    });
    by_nccl("nccl-all-gather", [this](int k, peer_place& p) {
      nccl_->all_gather(k, &p.mine, p.gathered, (*group_)[k].stream);
    });
  }

  void by_flags(int blocks, int lanes) {
    const std::string more = fmt::format(R"(,"blocks":{},"threads":{})", blocks, lanes);
    const int most = group_->most_blocks([&] { return barrier_blocks_per_unit(lanes); });
    if (blocks > most) {
      skip("barrier", "flags", more, fmt::format("{} blocks of a peer run together", most));
      return;
    }
    const auto run = [&](int rounds, bool watch) {
      group_->reset();
      return group_->run_together(blocks, lanes, [&](int k, const peer_launch& by) {
        run_peer_barriers(by, group_->view(k), rounds, watch);
      });
    };
    bool watched = false;
    add("barrier", "flags", more, q_.rounds, 0, [&](int rounds) {
      if (!std::exchange(watched, true)) watch(run);
      return run(rounds, false);
    });
  }
  template <class Run>
  void watch(const Run& run) const {
    constexpr int rounds = 500;
    (void)run(rounds, true);
    for (int k = 0; k < group_->size(); ++k)
      if (const unsigned early = group_->read(k, &(*group_)[k].place.at->early, 1).front())
        throw device_error(
            fmt::format("of {} rounds, {} looks of peer {} came too early", rounds, early, k));
  }

  /// A launch, a wait for it, and a barrier of the host's threads (listing 3.3).
  void by_threads() {
    add("barrier", "threads", "", slow_rounds(), 0, [&](int rounds) {
      return group_->on_threads([&](int k, host_barrier& barrier) {
        for (int r = 0; r < rounds; ++r) {
          launch_nothing((*group_)[k].stream);
          group_->wait(k);
          barrier.wait();
        }
      });
    });
  }

  /// One thread launches on all GPUs, each launch after all of the round before: what
  /// cudaLaunchCooperativeKernelMultiDevice() did.
  void launch_rounds(int rounds) const {
    const peer_group& g = *group_;
    for (int r = 0; r < rounds; ++r) {
      for (int k = 0; k < g.size(); ++k) {
        g.choose(k);
        launch_nothing(g[k].stream);
        if (g.size() > 1) DWELL_CUDA(cudaEventRecord(g[k].event, g[k].stream));
      }
      for (int k = 0; k < g.size(); ++k) {
        g.choose(k);
        for (int other = 0; other < g.size(); ++other)
          if (other != k) DWELL_CUDA(cudaStreamWaitEvent(g[k].stream, g[other].event, 0));
      }
    }
  }
  void by_events() {
    add("barrier", "events", "", slow_rounds(), 0, [&](int rounds) {
      const auto begin = steady::now();
      launch_rounds(rounds);
      group_->wait();
      return seconds_since(begin);
    });
  }
  /// One graph of all GPUs.
  void by_recorded_events() {
    std::unique_ptr<recorded> graph;
    add("barrier", "events-graph", "", slow_rounds(), 0, [&](int rounds) {
      const peer_group& g = *group_;
      if (!graph) {
        g.choose(0);
        graph = std::make_unique<recorded>(g[0].stream, [&] {
          DWELL_CUDA(cudaEventRecord(g[0].event, g[0].stream));
          for (int k = 1; k < g.size(); ++k)
            DWELL_CUDA(cudaStreamWaitEvent(g[k].stream, g[0].event, 0));
          launch_rounds(recorded_rounds);
          for (int k = 1; k < g.size(); ++k) {
            DWELL_CUDA(cudaEventRecord(g[k].event, g[k].stream));
            DWELL_CUDA(cudaStreamWaitEvent(g[0].stream, g[k].event, 0));
          }
          g.choose(0);
        });
      }
      g.choose(0);
      const auto begin = steady::now();
      for (int r = 0; r < rounds; r += recorded_rounds) graph->launch(g[0].stream);
      g.wait();
      return seconds_since(begin);
    });
  }

  /// call(peer, its place) puts one message of all into the peer's stream.
  void by_nccl(const std::string& by, const std::function<void(int, peer_place&)>& call) {
    for (const bool graphs : {false, true}) {
      const std::string name = graphs ? by + "-graph" : by;
      if (!nccl_) {
        skip("barrier", name, "", why_no_nccl_);
        continue;
      }
      group_->reset();
      repeat("barrier", name, "", slow_rounds(), 0, graphs,
             [&](int k) { call(k, *(*group_)[k].place.at); }, {});
    }
  }

  /// Measures what a thread for each peer puts into its stream, call by call or as a graph of
  /// recorded_rounds. check(rounds): what came out of a run, after a reset.
  void repeat(const std::string& what, const std::string& by, const std::string& more, int rounds,
              std::size_t bytes, bool graphs, const std::function<void(int)>& put,
              const std::function<void(int)>& check) {
    std::vector<std::unique_ptr<recorded>> of(static_cast<std::size_t>(group_->size()));
    add(what, by, more, rounds, bytes, [&](int asked) {
      const int n = graphs ? (asked + recorded_rounds - 1) / recorded_rounds : asked;
      if (check) group_->reset();
      if (graphs && !of.front())
        (void)group_->on_threads([&](int k, host_barrier&) {
          of[static_cast<std::size_t>(k)] = std::make_unique<recorded>((*group_)[k].stream, [&] {
            for (int r = 0; r < recorded_rounds; ++r) put(k);
          });
        });
      const double took = group_->on_threads([&](int k, host_barrier&) {
        for (int r = 0; r < n; ++r)
          graphs ? of[static_cast<std::size_t>(k)]->launch((*group_)[k].stream) : put(k);
        group_->wait(k);
      });
      if (check) check(graphs ? n * recorded_rounds : n);
      return took;
    });
  }

  // Reductions.

  struct values {
    values(int device, int me, std::size_t n) {
      DWELL_CUDA(cudaSetDevice(device));
      DWELL_CUDA(cudaMalloc(&at, n * sizeof(double)));
      fill_values(at, n, me, nullptr);
      DWELL_CUDA(cudaDeviceSynchronize());
    }
    ~values() { cudaFree(at); }
    values(const values&) = delete;
    values& operator=(const values&) = delete;
    double* at = nullptr;
  };

  void reductions() {
    const std::size_t most = std::size_t(1) << *std::max_element(q_.sizes.begin(), q_.sizes.end());
    std::vector<std::unique_ptr<values>> all;
    for (int k = 0; k < group_->size(); ++k)
      all.push_back(std::make_unique<values>((*group_)[k].device, k, most));
    x_.clear();
    for (const auto& v : all) x_.push_back(v->at);
    for (const int size : q_.sizes) {
      n_ = std::size_t(1) << size;
      sum_by_flags();
      sum_by_host();
      for (const bool graphs : {false, true}) {
        sum_by_nccl(graphs, true);
        sum_by_nccl(graphs, false);
      }
    }
  }

  std::string size_of_sum() const {
    return fmt::format(R"(,"values_per_gpu":{},"blocks":{})", n_, blocks_of_sum());
  }
  std::size_t bytes() const {
    return n_ * sizeof(double) * static_cast<std::size_t>(group_->size());
  }
  /// One a multiprocessor, fewer where a lane would have less than eight values.
  int blocks_of_sum() const {
    const std::size_t full = std::max<std::size_t>(1, n_ / (8 * sum_lanes));
    const int most = group_->most_blocks(summing_blocks_per_unit);
    return static_cast<int>(
        std::min<std::size_t>(full, static_cast<std::size_t>(std::min(most, group_->units(0)))));
  }
  /// So many that they take some twenty milliseconds.
  int rounds_of_sum() const {
    const double us = 15 + static_cast<double>(n_) * sizeof(double) / 3e6;
    return std::clamp(static_cast<int>(2e4 / us), 20, 1000) / recorded_rounds * recorded_rounds;
  }
  /// Rounds 1 to `rounds`: each adds up all values and its own number from every peer.
  void expect(double found, int rounds, int peer) const {
    double one = 0;
    for (int k = 0; k < group_->size(); ++k) one += static_cast<double>(n_) * (3.5 + k);
    const double r = rounds, wanted = r * one + group_->size() * r * (r + 1) / 2;
    if (found != wanted)
      throw device_error(fmt::format("peer {}: {} rounds of {} values: expected {}, found {}", peer,
                                     rounds, n_, wanted, found));
  }

  void sum_by_flags() {
    const int blocks = blocks_of_sum();
    add("reduction", "flags", size_of_sum(), rounds_of_sum(), bytes(), [&](int rounds) {
      group_->reset();
      const double took =
          group_->run_together(blocks, sum_lanes, [&](int k, const peer_launch& by) {
            sum_with_peers(by, group_->view(k), x_[static_cast<std::size_t>(k)], n_, rounds);
          });
      for (int k = 0; k < group_->size(); ++k)
        for (const double sum : group_->read(k, (*group_)[k].place.at->sums, blocks))
          expect(sum, rounds, k);
      return took;
    });
  }

  void put_part(int k, double* to) const {
    const peer& p = (*group_)[k];
    sum_part(p.place.at, x_[static_cast<std::size_t>(k)], n_, blocks_, to, p.stream);
  }

  /// A launch on each GPU, whose threads of the host then meet and add up.
  void sum_by_host() {
    const auto size = static_cast<std::size_t>(group_->size());
    double* parts = nullptr;
    DWELL_CUDA(cudaHostAlloc(&parts, 2 * size * sizeof(double),
                             cudaHostAllocPortable | cudaHostAllocMapped));
    blocks_ = blocks_of_sum();
    add("reduction", "threads", size_of_sum(), rounds_of_sum(), bytes(), [&](int rounds) {
      group_->reset();
      std::vector<double> sums(size);
      const double took = group_->on_threads([&](int k, host_barrier& barrier) {
        double sum = 0;
        for (int r = 0; r < rounds; ++r) {
          double* const these = parts + (r % 2 ? size : 0);
          put_part(k, these + k);
          group_->wait(k);
          barrier.wait();
          sum += std::accumulate(these, these + size, 0.0);
        }
        sums[static_cast<std::size_t>(k)] = sum;
      });
      for (int k = 0; k < group_->size(); ++k) expect(sums[static_cast<std::size_t>(k)], rounds, k);
      return took;
    });
    cudaFreeHost(parts);
  }

  /// A launch on each GPU, a message, and the parts of all are added in their order; or NCCL adds
  /// them in its own.
  void sum_by_nccl(bool graphs, bool gathers) {
    const std::string by =
        std::string(gathers ? "nccl-all-gather" : "nccl-all-reduce") + (graphs ? "-graph" : "");
    if (!nccl_) {
      skip("reduction", by, size_of_sum(), why_no_nccl_);
      return;
    }
    blocks_ = blocks_of_sum();
    const auto put = [&](int k) {
      const peer& p = (*group_)[k];
      peer_place& at = *p.place.at;
      put_part(k, &at.mine);
      if (gathers)
        nccl_->all_gather(k, &at.mine, at.gathered, p.stream);
      else
        nccl_->all_reduce(k, &at.mine, &at.reduced, p.stream);
      add_parts(&at, gathers ? at.gathered : &at.reduced, gathers ? group_->size() : 1, p.stream);
    };
    repeat("reduction", by, size_of_sum(), rounds_of_sum(), bytes(), graphs, put, [&](int rounds) {
      for (int k = 0; k < group_->size(); ++k)
        expect(group_->read(k, &(*group_)[k].place.at->total, 1).front(), rounds, k);
    });
  }

  static constexpr int recorded_rounds = 20;
  int slow_rounds() const { return std::max(1, q_.rounds / 5 / recorded_rounds) * recorded_rounds; }

  const request& q_;
  std::string device_name_, why_no_nccl_;
  std::unique_ptr<peer_group> group_;
  std::unique_ptr<nccl_peers> nccl_;
  std::vector<const double*> x_;
  std::size_t n_ = 0;
  int blocks_ = 1;
  bool failed_ = false;
};

int parse_and_run(int argc, char** argv) {
  request q;
  CLI::App app("Times in which the GPUs of one host meet and add up");
  app.name("bench-peers");
  app.add_option("--devices", q.devices,
                 "GPUs, one a peer; one that comes twice is shared by two peers (default: all)")
      ->delimiter(',')
      ->check(CLI::Range(0, 1023));
  app.add_option("--peers", q.counts, "Numbers of peers, the first ones (default: 1 to all)")
      ->delimiter(',')
      ->check(CLI::Range(1, most_peers));
  app.add_option("--only", q.only, "barriers or reductions (default: both)")
      ->delimiter(',')
      ->check(CLI::IsMember({"barriers", "reductions"}));
  app.add_option("--sizes", q.sizes, "Of reductions: powers of 2, values of each GPU")
      ->delimiter(',')
      ->check(CLI::Range(3, 32))
      ->capture_default_str();
  app.add_option("--rounds", q.rounds, "Of barriers in a kernel; of slower ones a fifth")
      ->check(CLI::Range(100, 10'000'000))
      ->capture_default_str();
  app.add_option("--repetitions", q.repetitions, "The median is printed, and the range")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--timeout", q.timeout, "Seconds after which a peer no longer waits for another")
      ->check(CLI::Range(0.1, 100.0))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 1;
  }
  int found = 0;
  if (const cudaError_t e = cudaGetDeviceCount(&found); e != cudaSuccess || found == 0) {
    fmt::print(stderr, "bench-peers: needs a GPU: {}\n",
               e == cudaSuccess ? "none found" : cudaGetErrorString(e));
    return 77;
  }
  if (q.devices.empty()) {
    q.devices.resize(static_cast<std::size_t>(std::min(found, most_peers)));
    std::iota(q.devices.begin(), q.devices.end(), 0);
  }
  if (q.devices.size() > most_peers)
    throw input_error(fmt::format("--devices: expected at most {}", most_peers));
  for (const int d : q.devices)
    if (d >= found)
      throw input_error(fmt::format("--devices: expected numbers below {}, found {}", found, d));
  const int all = static_cast<int>(q.devices.size());
  if (q.counts.empty()) {
    q.counts.resize(q.devices.size());
    std::iota(q.counts.begin(), q.counts.end(), 1);
  }
  bench b(q);
  for (const int count : q.counts) {
    if (count > all)
      throw input_error(fmt::format("--peers {}: expected at most {}, a GPU for each", count, all));
    b.measure(count);
  }
  return b.failed() ? 1 : 0;
}

}  // namespace
}  // namespace dwell::bench

int main(int argc, char** argv) {
  try {
    return dwell::bench::parse_and_run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench-peers: {}\n", e.what());
    return 1;
  }
}
