// SPDX-License-Identifier: MIT
// Which transport ranks with GPUs get, and that of one rank alone, and those by the communicator.
#include "dwell/execution/comm/device_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/execution/comm/device_halo.hpp"
#include "dwell/execution/comm/nccl.hpp"
#include "dwell/execution/device/buffer.hpp"

namespace dwell {
namespace {

void copy_there(const device& where, void* to, const void* from, std::size_t bytes) {
  if (bytes > 0 && to != from) memory_of(where.on()).copy(where, to, from, bytes);
}

/// Messages of a rank to itself.
class own_device_messages final : public device_messages {
 public:
  own_device_messages(const device& where, std::vector<rank_message> out)
      : where_(where), out_(std::move(out)) {}
  void run(std::span<const void* const> from, std::span<void* const> to, void* stream) override {
    const device on = where_.on_stream(stream);
    for (std::size_t k = 0; k < out_.size(); ++k) copy_there(on, to[k], from[k], out_[k].bytes);
  }

 private:
  device where_;
  std::vector<rank_message> out_;
};

class transport_of_one final : public device_transport {
 public:
  transport_of_one(std::shared_ptr<communicator> comm, const device& where)
      : comm_(std::move(comm)), where_(where) {}
  const char* name() const override { return comm_->transport(); }
  int size() const override { return 1; }
  bool records() const override { return true; }
  std::unique_ptr<device_messages> messages(std::vector<rank_message> out,
                                            std::vector<rank_message>) override {
    return std::make_unique<own_device_messages>(where_, std::move(out));
  }
  void all_gather(const double* mine, int count, double* all, void* stream) override {
    copy_there(where_.on_stream(stream), all, mine,
               static_cast<std::size_t>(count) * sizeof(double));
  }

 private:
  std::shared_ptr<communicator> comm_;
  device where_;
};

/// Copies of messages in the host's memory, from and into which the communicator moves them.
class staged_messages final : public device_messages {
 public:
  staged_messages(communicator& comm, const device& where, const std::vector<rank_message>& out,
                  const std::vector<rank_message>& in)
      : where_(where), out_(staged(out)), in_(staged(in)) {
    messages_ = comm.messages(pieces_of(out, out_), pieces_of(in, in_));
  }
  void run(std::span<const void* const> from, std::span<void* const> to, void* stream) override {
    const device on = where_.on_stream(stream);
    const memory_space& memory = memory_of(on.on());
    for (std::size_t k = 0; k < out_.size(); ++k)
      if (!out_[k].empty()) memory.download(on, out_[k].data(), from[k], out_[k].size());
    messages_->start();
    messages_->finish();
    for (std::size_t k = 0; k < in_.size(); ++k)
      if (!in_[k].empty()) memory.upload(on, to[k], in_[k].data(), in_[k].size());
  }

 private:
  using copies = std::vector<std::vector<std::byte>>;
  static copies staged(const std::vector<rank_message>& messages) {
    copies made;
    for (const rank_message& m : messages) made.emplace_back(m.bytes);
    return made;
  }
  static std::vector<rank_message> pieces_of(std::vector<rank_message> messages, copies& of) {
    for (std::size_t k = 0; k < messages.size(); ++k) messages[k].data = of[k].data();
    return messages;
  }
  device where_;
  copies out_, in_;
  std::unique_ptr<message_set> messages_;
};

/// The sums of all ranks by way of the host: a few numbers, which a copy brings there faster than
/// an MPI that has to find out whose memory they are in.
class sums_by_host {
 public:
  void all_gather(communicator& comm, const device& on, const double* mine, int count,
                  double* all) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(double);
    here_.resize(static_cast<std::size_t>(count));
    all_.resize(here_.size() * static_cast<std::size_t>(comm.size()));
    memory_of(on.on()).download(on, here_.data(), mine, bytes);
    comm.all_gather(here_.data(), bytes, all_.data());
    memory_of(on.on()).upload(on, all, all_.data(), all_.size() * sizeof(double));
  }

 private:
  std::vector<double> here_, all_;
};

class host_transport final : public device_transport {
 public:
  host_transport(std::shared_ptr<communicator> comm, const device& where)
      : comm_(std::move(comm)), where_(where) {}
  const char* name() const override { return "host"; }
  int size() const override { return comm_->size(); }
  bool records() const override { return false; }
  std::unique_ptr<device_messages> messages(std::vector<rank_message> out,
                                            std::vector<rank_message> in) override {
    return std::make_unique<staged_messages>(*comm_, where_, out, in);
  }
  void all_gather(const double* mine, int count, double* all, void* stream) override {
    sums_.all_gather(*comm_, where_.on_stream(stream), mine, count, all);
  }

 private:
  std::shared_ptr<communicator> comm_;
  device where_;
  sums_by_host sums_;
};

/// The communicator moves what is in the memory of GPUs: copies of messages there, which other
/// processes may open, as they may not open what is taken from a pool.
class communicator_messages final : public device_messages {
 public:
  communicator_messages(communicator& comm, const device& where, std::vector<rank_message> out,
                        std::vector<rank_message> in)
      : where_(where), copies_(buffer<std::byte>::for_processes(where, place(out, in))) {
    for (rank_message& m : out) m.data = copies_.data() + at_[out_++];
    for (std::size_t k = 0; k < in.size(); ++k) in[k].data = copies_.data() + at_[out_ + k];
    out_bytes_ = bytes_of(out), in_bytes_ = bytes_of(in);
    memory_of(where.on()).finish(where);
    messages_ = comm.messages(std::move(out), std::move(in));
  }
  void run(std::span<const void* const> from, std::span<void* const> to, void* stream) override {
    const device on = where_.on_stream(stream);
    const memory_space& memory = memory_of(on.on());
    for (std::size_t k = 0; k < from.size(); ++k)
      if (out_bytes_[k] > 0) memory.copy(on, copies_.data() + at_[k], from[k], out_bytes_[k]);
    memory.finish(on);
    messages_->start();
    messages_->finish();
    for (std::size_t k = 0; k < to.size(); ++k)
      if (in_bytes_[k] > 0) memory.copy(on, to[k], copies_.data() + at_[out_ + k], in_bytes_[k]);
  }

 private:
  /// Where each copy begins; returns their bytes.
  std::size_t place(const std::vector<rank_message>& out, const std::vector<rank_message>& in) {
    constexpr std::size_t aligned = 256;
    std::size_t end = 0;
    for (const auto* all : {&out, &in})
      for (const rank_message& m : *all) {
        at_.push_back(end);
        end += (m.bytes + aligned - 1) / aligned * aligned;
      }
    return end;
  }
  static std::vector<std::size_t> bytes_of(const std::vector<rank_message>& messages) {
    std::vector<std::size_t> all;
    for (const rank_message& m : messages) all.push_back(m.bytes);
    return all;
  }
  device where_;
  std::vector<std::size_t> at_, out_bytes_, in_bytes_;
  std::size_t out_ = 0;  ///< outgoing messages
  buffer<std::byte> copies_;
  std::unique_ptr<message_set> messages_;
};

class communicator_transport final : public device_transport {
 public:
  communicator_transport(std::shared_ptr<communicator> comm, const device& where)
      : comm_(std::move(comm)), where_(where) {}
  const char* name() const override { return "mpi"; }
  int size() const override { return comm_->size(); }
  bool records() const override { return false; }
  std::unique_ptr<device_messages> messages(std::vector<rank_message> out,
                                            std::vector<rank_message> in) override {
    return std::make_unique<communicator_messages>(*comm_, where_, std::move(out), std::move(in));
  }
  void all_gather(const double* mine, int count, double* all, void* stream) override {
    sums_.all_gather(*comm_, where_.on_stream(stream), mine, count, all);
  }

 private:
  std::shared_ptr<communicator> comm_;
  device where_;
  sums_by_host sums_;
};

/// NCCL takes most of a second to start: that is done once for a communicator and its GPU.
struct kept_transport {
  int ordinal;
  std::shared_ptr<device_transport> by;
};
std::shared_ptr<device_transport> kept_or_connected(communicator& comm, const device& where) {
  auto kept = std::static_pointer_cast<kept_transport>(comm.kept());
  if (!all_of_ranks(comm, kept && kept->ordinal == where.ordinal())) {
    kept = std::make_shared<kept_transport>(
        kept_transport{where.ordinal(), connect_by_nccl(comm, where)});
    comm.kept() = kept;
  }
  return kept->by;
}

/// Have two ranks the same GPU?
bool share_gpus(communicator& comm, const device& where) {
  const std::vector<gpu_identity> all =
      values_of_ranks(comm, cuda_backend<halo_functions>().identity(where));
  return std::set<gpu_identity>(all.begin(), all.end()).size() < all.size();
}

}  // namespace

void require_one_backend(communicator& comm, const device& where) {
  const bool here = where.on() == backend::cuda, there = any_of_ranks(comm, here);
  together(comm, [&] {
    if (here != there)
      throw input_error("device: expected GPUs on all ranks or on none, found a rank on a CPU");
  });
}

std::shared_ptr<device_transport> connect_gpus(std::shared_ptr<communicator> comm,
                                               const device& where, gpu_transport asked) {
  if (comm->size() == 1) return std::make_shared<transport_of_one>(std::move(comm), where);
  if (asked == gpu_transport::automatic || asked == gpu_transport::nccl) {
    const bool shared = share_gpus(*comm, where);
    const std::string why = why_no_nccl();
    const bool found = all_of_ranks(*comm, why.empty());
    if (asked == gpu_transport::nccl)
      together(*comm, [&] {
        if (!why.empty()) throw unsupported_error(why);
        if (shared)
          throw device_error(
              "transport nccl: expected a GPU for each rank, found ranks that share one (transport "
              "host lets them)");
      });
    if (found && !shared) return kept_or_connected(*comm, where);
  }
  const bool direct = all_of_ranks(*comm, comm->takes_gpu_memory());
  if (asked == gpu_transport::mpi && !direct)
    throw unsupported_error(fmt::format(
        "transport mpi: expected an MPI that takes memory of GPUs (CUDA-aware), found transport {} "
        "that does not say so",
        comm->transport()));
  if (direct && asked != gpu_transport::host)
    return std::make_shared<communicator_transport>(std::move(comm), where);
  return std::make_shared<host_transport>(std::move(comm), where);
}

}  // namespace dwell
