// SPDX-License-Identifier: MIT
// The GPUs of one host as peers: streams, places in each other's memory, threads of the host that
// meet, and work that is recorded as a graph. For bench-peers. All throw device_error.
#pragma once
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "peer_rounds.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/cuda_check.hpp"

namespace dwell::bench {

using steady = std::chrono::steady_clock;
inline double seconds_since(steady::time_point begin) {
  return std::chrono::duration<double>(steady::now() - begin).count();
}

/// Kernels that wait for each other cannot be ended from outside: the process ends.
[[noreturn]] inline void leave(const std::string& why) {
  fmt::print(stderr, "bench-peers: {}\n", why);
  std::fflush(stdout);
  std::_Exit(1);
}

struct another_failed {};

/// Threads of the host meet, spinning. Where one has failed the others throw another_failed.
class host_barrier {
 public:
  host_barrier(int threads, double timeout) : threads_(threads), timeout_(timeout) {}
  void wait() {
    const unsigned round = round_.load(std::memory_order_relaxed);
    if (come_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      come_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      return;
    }
    const auto begin = steady::now();
    for (unsigned k = 1; round_.load(std::memory_order_acquire) == round; ++k) {
      if (gone_.load(std::memory_order_relaxed)) throw another_failed();
      if (k % 4096 == 0 && seconds_since(begin) > timeout_)
        leave(fmt::format("a thread of the host waited {} s for the others", timeout_));
    }
  }
  /// The others no longer wait for this thread.
  void give_up() { gone_.store(true); }

 private:
  int threads_;
  double timeout_;
  std::atomic<int> come_{0};
  std::atomic<unsigned> round_{0};
  std::atomic<bool> gone_{false};
};

struct place_on_device {
  explicit place_on_device(int device) {
    DWELL_CUDA(cudaSetDevice(device));
    DWELL_CUDA(cudaMalloc(&at, sizeof *at));
  }
  ~place_on_device() { cudaFree(at); }
  place_on_device(const place_on_device&) = delete;
  place_on_device& operator=(const place_on_device&) = delete;
  peer_place* at = nullptr;
};

struct peer {
  explicit peer(int on) : device(on), place(on) {
    DWELL_CUDA(cudaStreamCreateWithFlags(stream.out(), cudaStreamNonBlocking));
    DWELL_CUDA(cudaEventCreateWithFlags(event.out(), cudaEventDisableTiming));
    load_peer_kernels();
  }
  int device;
  place_on_device place;
  cuda::stream stream;
  cuda::event event;
};

/// The peers of a measurement: the first so many of those there are.
class peer_group {
 public:
  peer_group(const std::vector<int>& devices, double timeout) : timeout_(timeout) {
    for (const int d : devices) peers_.push_back(std::make_unique<peer>(d));
    copies_ = 1;
    for (const int d : devices)
      copies_ = std::max(copies_, static_cast<int>(std::count(devices.begin(), devices.end(), d)));
    for (const int a : std::set<int>(devices.begin(), devices.end()))
      for (const int b : std::set<int>(devices.begin(), devices.end()))
        if (a != b) open(a, b);
  }
  int size() const { return static_cast<int>(peers_.size()); }
  bool shared() const { return copies_ > 1; }
  const peer& operator[](int k) const { return *peers_[static_cast<std::size_t>(k)]; }
  void choose(int k) const { DWELL_CUDA(cudaSetDevice((*this)[k].device)); }

  peer_view view(int me) const {
    peer_view v{};
    for (int k = 0; k < size(); ++k) v.places[k] = (*this)[k].place.at;
    v.me = me;
    v.peers = size();
    v.limit_ns = static_cast<unsigned long long>(timeout_ * 1e9);
    return v;
  }
  void reset() const {
    for (int k = 0; k < size(); ++k) {
      choose(k);
      DWELL_CUDA(cudaMemsetAsync((*this)[k].place.at, 0, sizeof(peer_place), (*this)[k].stream));
    }
    wait();
  }
  void wait(int k) const {
    const auto begin = steady::now();
    for (;;) {
      const cudaError_t found = cudaStreamQuery((*this)[k].stream);
      if (found == cudaSuccess) return;
      if (found != cudaErrorNotReady) cuda::check(found, "a stream");
      if (seconds_since(begin) > 3 * timeout_)
        leave(fmt::format("GPU {} of {} has not ended after {} s", k, size(), 3 * timeout_));
    }
  }
  void wait() const {
    for (int k = 0; k < size(); ++k) choose(k), wait(k);
  }
  /// From the memory of a GPU.
  template <class V>
  std::vector<V> read(int k, const V* from, int count) const {
    std::vector<V> to(static_cast<std::size_t>(count));
    choose(k);
    DWELL_CUDA(cudaMemcpy(to.data(), from, to.size() * sizeof(V), cudaMemcpyDeviceToHost));
    return to;
  }
  /// f(peer, barrier) on a thread for each; seconds from the moment that all are ready, which they
  /// are when they first meet, to the moment when all are done.
  double on_threads(const std::function<void(int, host_barrier&)>& f) const {
    host_barrier barrier(size(), 3 * timeout_);
    std::vector<std::exception_ptr> failed(peers_.size());
    double took = 0;
    const auto work = [&](int k) {
      try {
        choose(k);
        barrier.wait();
        const auto begin = steady::now();
        f(k, barrier);
        barrier.wait();
        if (k == 0) took = seconds_since(begin);
      } catch (const another_failed&) {
      } catch (...) {
        failed[static_cast<std::size_t>(k)] = std::current_exception();
        barrier.give_up();
      }
    };
    std::vector<std::thread> threads;
    for (int k = 0; k < size(); ++k) threads.emplace_back(work, k);
    for (auto& t : threads) t.join();
    for (const auto& e : failed)
      if (e) std::rethrow_exception(e);
    return took;
  }
  /// Blocks that run together on each GPU, next to those of peers that share it.
  int most_blocks(const std::function<int()>& per_unit) const {
    int most = most_peer_blocks;
    for (int k = 0; k < size(); ++k) {
      choose(k);
      most = std::min(most, per_unit() * units(k) / copies_);
    }
    return most;
  }
  int units(int k) const {
    int n = 0;
    DWELL_CUDA(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, (*this)[k].device));
    return n;
  }
  /// A grid of each peer, whose blocks all run together; seconds until all have ended.
  double run_together(int blocks, int lanes,
                      const std::function<void(int, const peer_launch&)>& launch) const {
    const auto begin = steady::now();
    for (int k = 0; k < size(); ++k) {
      choose(k);
      launch(k, {blocks, lanes, !shared(), (*this)[k].stream});
    }
    wait();
    const double took = seconds_since(begin);
    for (int k = 0; k < size(); ++k)
      if (const unsigned late = read(k, &(*this)[k].place.at->late, 1).front())
        throw device_error(fmt::format("peer {} of {} gave up {} waits, the first after {} s", k,
                                       size(), late, timeout_));
    return took;
  }

 private:
  static void open(int from, int to) {
    int can = 0;
    DWELL_CUDA(cudaDeviceCanAccessPeer(&can, from, to));
    if (!can)
      throw unsupported_error(
          fmt::format("GPU {} cannot read and write the memory of GPU {}", from, to));
    DWELL_CUDA(cudaSetDevice(from));
    const cudaError_t opened = cudaDeviceEnablePeerAccess(to, 0);
    if (opened == cudaErrorPeerAccessAlreadyEnabled)
      (void)cudaGetLastError();
    else
      cuda::check(opened, "peer access");
  }
  double timeout_;
  std::vector<std::unique_ptr<peer>> peers_;
  int copies_ = 1;
};

/// Work of a peer's stream as a graph, which is launched again and again.
class recorded {
 public:
  /// record() puts the work into the stream, and into those that it lets wait for it.
  recorded(cudaStream_t on, const std::function<void()>& record) {
    DWELL_CUDA(cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal));
    record();
    DWELL_CUDA(cudaStreamEndCapture(on, graph_.out()));
    DWELL_CUDA(cudaGraphInstantiate(graph_run_.out(), graph_, 0));
  }
  void launch(cudaStream_t on) const { DWELL_CUDA(cudaGraphLaunch(graph_run_, on)); }

 private:
  cuda::recorded_graph graph_;
  cuda::executable_graph graph_run_;
};

}  // namespace dwell::bench
