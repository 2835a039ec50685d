// SPDX-License-Identifier: MIT
// Messages and gathers by NCCL. Uses only what it has had since version 2.7. Of NCCL only what it
// has had since version 2.7.
#include <dlfcn.h>
#include <nccl.h>

#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/execution/comm/gather_rounds.hpp"
#include "dwell/execution/comm/nccl.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/current_device_cuda.hpp"

namespace dwell {
namespace {

/// The functions of libnccl.so.2.
struct nccl_library {
  std::string why_not;
  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRank) init_rank = nullptr;
  decltype(&ncclCommDestroy) destroy = nullptr;
  decltype(&ncclCommAbort) abort = nullptr;
  decltype(&ncclGetErrorString) error_string = nullptr;
  decltype(&ncclGroupStart) group_start = nullptr;
  decltype(&ncclGroupEnd) group_end = nullptr;
  decltype(&ncclSend) send = nullptr;
  decltype(&ncclRecv) receive = nullptr;
  decltype(&ncclAllGather) all_gather = nullptr;

  nccl_library() {
    // A host's GPUs, which others may share, have been put out of service by it.
    setenv("NCCL_NVLS_ENABLE", "0", 0);
    void* const found = open();
    if (!found) return;
    load(found, "ncclGetUniqueId", get_unique_id);
    load(found, "ncclCommInitRank", init_rank);
    load(found, "ncclCommDestroy", destroy);
    load(found, "ncclCommAbort", abort);
    load(found, "ncclGetErrorString", error_string);
    load(found, "ncclGroupStart", group_start);
    load(found, "ncclGroupEnd", group_end);
    load(found, "ncclSend", send);
    load(found, "ncclRecv", receive);
    load(found, "ncclAllGather", all_gather);
  }

 private:
  void* open() {
    void* found = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    const char* const first = found ? nullptr : dlerror();
    const std::string reason = first ? first : "";
    if (!found) found = dlopen(DWELL_NCCL_LIBRARY, RTLD_NOW | RTLD_LOCAL);  // the one of the build
    if (!found)
      why_not = "NCCL was not found: " + reason + " (LD_LIBRARY_PATH says where to look for it)";
    return found;
  }
  template <class F>
  void load(void* from, const char* name, F& to) {
    to = reinterpret_cast<F>(dlsym(from, name));
    if (!to && why_not.empty())
      why_not = std::string("NCCL: expected version 2.7 or newer, found one without ") + name;
  }
};

const nccl_library& nccl() {
  static const nccl_library& loaded =
      *new nccl_library;  // stays: communicators may outlive statics
  return loaded;
}

void check(ncclResult_t status, const char* what) {
  if (status != ncclSuccess)
    throw device_error(std::string("NCCL: ") + what + ": " + nccl().error_string(status));
}

class nccl_messages final : public device_messages {
 public:
  nccl_messages(ncclComm_t comm, std::vector<rank_message> out, std::vector<rank_message> in)
      : comm_(comm), out_(std::move(out)), in_(std::move(in)) {}
  void run(std::span<const void* const> from, std::span<void* const> to, void* stream) override {
    if (out_.empty() && in_.empty()) return;
    auto* const on = static_cast<cudaStream_t>(stream);
    check(nccl().group_start(), "messages");
    for (std::size_t k = 0; k < out_.size(); ++k)
      check(nccl().send(from[k], out_[k].bytes, ncclInt8, out_[k].peer, comm_, on), "a send");
    for (std::size_t k = 0; k < in_.size(); ++k)
      check(nccl().receive(to[k], in_[k].bytes, ncclInt8, in_[k].peer, comm_, on), "a receive");
    check(nccl().group_end(), "messages");
  }

 private:
  ncclComm_t comm_;
  std::vector<rank_message> out_, in_;
};

class nccl_transport final : public device_transport {
 public:
  nccl_transport(communicator& comm, const device& where, std::span<const int> groups)
      : rank_(comm.rank()), size_(comm.size()), rounds_(gather_rounds(rank_, size_, groups)) {
    ncclUniqueId id{};
    together(comm, [&] {
      if (comm.rank() == 0) check(nccl().get_unique_id(&id), "its start");
    });
    id = value_of_rank(comm, 0, id);
    together(comm, [&] {
      const cuda::current_device here(where.ordinal());
      open_memory_to_peers(
          where.ordinal());  // NCCL writes into the buffers of ranks in one process
      check(nccl().init_rank(&comm_, size_, id, comm.rank()), "its start");
    });
  }
  ~nccl_transport() override {
    if (comm_) nccl().destroy(comm_);
  }
  const char* name() const override { return "nccl"; }
  int size() const override { return size_; }
  bool records() const override { return true; }
  std::unique_ptr<device_messages> messages(std::vector<rank_message> out,
                                            std::vector<rank_message> in) override {
    return std::make_unique<nccl_messages>(comm_, std::move(out), std::move(in));
  }
  void all_gather(const double* mine, int count, double* all, void* stream) override {
    auto* const on = static_cast<cudaStream_t>(stream);
    const auto place = [&](int rank) { return all + static_cast<std::ptrdiff_t>(rank) * count; };
    const auto values = [&](int ranks) { return static_cast<std::size_t>(ranks) * count; };
    if (rounds_.size() == 1)  // one host: as fast as a round or, on two GPUs, by 2 us faster
      return check(nccl().all_gather(mine, all, values(1), ncclDouble, comm_, on), "an all-gather");
    if (mine != place(rank_))
      DWELL_CUDA(cudaMemcpyAsync(place(rank_), mine, values(1) * sizeof(double),
                                 cudaMemcpyDeviceToDevice, on));
    for (const gather_round& round : rounds_) {
      check(nccl().group_start(), "sums");
      for (const gather_message& m : round.out)
        check(nccl().send(place(m.first), values(m.count), ncclDouble, m.peer, comm_, on),
              "a send of sums");
      for (const gather_message& m : round.in)
        check(nccl().receive(place(m.first), values(m.count), ncclDouble, m.peer, comm_, on),
              "a receive of sums");
      check(nccl().group_end(), "sums");
    }
  }

 private:
  int rank_, size_;
  std::vector<gather_round> rounds_;
  ncclComm_t comm_ = nullptr;
};

}  // namespace

std::string why_no_nccl() { return nccl().why_not; }

std::shared_ptr<device_transport> connect_by_nccl(communicator& comm, const device& where,
                                                  std::span<const int> groups) {
  const std::vector<int> own =
      gather_groups(comm.size(), value_of_rank(comm, 0, comm.ranks_here()));
  return std::make_shared<nccl_transport>(comm, where, groups.empty() ? own : groups);
}

}  // namespace dwell
