// SPDX-License-Identifier: MIT
// Ranks that are processes of MPI. This header alone includes mpi.h, and all of it is compiled in
// the program that includes it: one build of Dwell serves programs with any implementation of MPI.
#pragma once
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1  ///< OpenMPI's mpi.h without the C++ bindings of old
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1  ///< MPICH's likewise
#endif
#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/comm/communicator.hpp"

namespace dwell {

namespace detail {

inline void check_mpi(int code, const char* doing) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::string one_line(text, static_cast<std::size_t>(length));
  std::replace(one_line.begin(), one_line.end(), '\n', ' ');
  throw device_error(std::string("MPI: ") + doing + ": " + one_line);
}

inline bool mpi_is_running() {
  int begun = 0, ended = 0;
  return MPI_Initialized(&begun) == MPI_SUCCESS && begun && MPI_Finalized(&ended) == MPI_SUCCESS &&
         !ended;
}

/// Persistent requests.
class mpi_messages final : public message_set {
 public:
  mpi_messages(MPI_Comm comm, int tag, const std::vector<rank_message>& out,
               const std::vector<rank_message>& in) {
    try {
      for (const rank_message& m : in)
        for_pieces(m, [&](void* data, int bytes) {
          check_mpi(MPI_Recv_init(data, bytes, MPI_BYTE, m.peer, tag, comm, next()), "a receive");
        });
      for (const rank_message& m : out)
        for_pieces(m, [&](void* data, int bytes) {
          check_mpi(MPI_Send_init(data, bytes, MPI_BYTE, m.peer, tag, comm, next()), "a send");
        });
    } catch (...) {
      free_all();
      throw;
    }
  }
  ~mpi_messages() override { free_all(); }
  void start() override {
    if (!requests_.empty())
      check_mpi(MPI_Startall(static_cast<int>(requests_.size()), requests_.data()), "messages");
  }
  void finish() override {
    if (!requests_.empty())
      check_mpi(
          MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
          "messages");
  }

 private:
  /// Counts of MPI are of type int.
  template <class F>
  static void for_pieces(const rank_message& m, F&& f) {
    constexpr std::size_t most = std::size_t(1) << 30;
    for (std::size_t at = 0; at < m.bytes; at += most)
      f(static_cast<std::byte*>(m.data) + at, static_cast<int>(std::min(most, m.bytes - at)));
  }
  MPI_Request* next() { return &requests_.emplace_back(MPI_REQUEST_NULL); }
  void free_all() noexcept {
    if (!mpi_is_running()) return;
    for (MPI_Request& r : requests_)
      if (r != MPI_REQUEST_NULL) MPI_Request_free(&r);
  }
  std::vector<MPI_Request> requests_;
};

class mpi_ranks final : public communicator {
 public:
  mpi_ranks(MPI_Comm comm, bool gpu_memory) : gpu_memory_(gpu_memory) {
    check_mpi(MPI_Comm_dup(comm, &comm_), "a duplicate of the communicator");
    check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "the communicator");
    check_mpi(MPI_Comm_rank(comm_, &rank_), "the communicator");
    check_mpi(MPI_Comm_size(comm_, &size_), "the communicator");
    MPI_Comm here = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here),
              "the ranks of this machine");
    check_mpi(MPI_Comm_size(here, &here_), "the ranks of this machine");
    check_mpi(MPI_Comm_free(&here), "the ranks of this machine");
  }
  ~mpi_ranks() override {
    if (mpi_is_running()) MPI_Comm_free(&comm_);
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int ranks_here() const override { return here_; }
  const char* transport() const override { return "mpi"; }
  bool takes_gpu_memory() const override { return gpu_memory_; }
  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    constexpr std::size_t most = std::size_t(1) << 30;
    if (bytes > most)
      throw input_error("all-gather: expected at most 1 GiB of each rank, found " +
                        std::to_string(bytes) + " bytes");
    const int count = static_cast<int>(bytes);
    check_mpi(MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_), "an all-gather");
  }
  std::unique_ptr<message_set> messages(std::vector<rank_message> out,
                                        std::vector<rank_message> in) override {
    constexpr int tags = 1 << 14;  // these may come again: sets are used one after another
    return std::make_unique<mpi_messages>(comm_, made_++ % tags, out, in);
  }
  void give_up(int exit_code) noexcept override { MPI_Abort(comm_, exit_code); }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, here_ = 1;
  bool gpu_memory_;
  int made_ = 0;
};

}  // namespace detail

/// Does this MPI say that it takes pointers to the memory of NVIDIA's GPUs ("CUDA-aware")? To be
/// called between MPI_Init() and MPI_Finalize().
inline bool mpi_takes_gpu_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int is = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &is) == MPI_SUCCESS && is != 0;
#else
  return false;
#endif
}

/// The ranks of `comm`, of which a duplicate is used, so that messages of Dwell never meet those of
/// the caller. All its ranks call this, after MPI_Init(), with at least MPI_THREAD_FUNNELED where a
/// solver has several threads; calls of the communicator are MPI calls of the thread that makes
/// them. gpu_memory: MPI is CUDA-aware; none: as it says itself (mpi_takes_gpu_memory()). Throws
/// input_error if MPI is not running, device_error if it fails.
inline std::shared_ptr<communicator> mpi_communicator(MPI_Comm comm,
                                                      std::optional<bool> gpu_memory = {}) {
  if (!detail::mpi_is_running())
    throw input_error("MPI: expected it between MPI_Init() and MPI_Finalize()");
  return std::make_shared<detail::mpi_ranks>(comm, gpu_memory.value_or(mpi_takes_gpu_memory()));
}

/// For programs that use MPI by Dwell alone: MPI_Init_thread(), and MPI_Finalize() at its end;
/// neither where MPI is running already. Communicators must be destroyed before it.
class mpi_session {
 public:
  mpi_session() {
    if (detail::mpi_is_running()) return;
    int found = 0;
    detail::check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &found), "its start");
    own_ = true;
    if (found < MPI_THREAD_FUNNELED)
      throw device_error("MPI: expected MPI_THREAD_FUNNELED, found less");
  }
  ~mpi_session() {
    if (own_) MPI_Finalize();
  }
  mpi_session(const mpi_session&) = delete;
  mpi_session& operator=(const mpi_session&) = delete;

 private:
  bool own_ = false;
};

}  // namespace dwell
