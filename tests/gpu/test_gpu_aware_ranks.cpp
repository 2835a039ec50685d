// SPDX-License-Identifier: MIT
// Transport "mpi": ranks whose communicator takes what is in the memory of GPUs, here one that goes
// through the host, have the bits of transport "host".
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "divided_answer.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/linear/distributed_solver.hpp"
#include "dwell/stencil/distributed_stencil.hpp"
#include "stencil_oracle.hpp"

namespace dwell::test {
namespace {

/// Ranks that take what is in the memory of GPUs, as a CUDA-aware MPI does, by way of other ranks.
class gpu_aware_ranks final : public communicator {
 public:
  gpu_aware_ranks(std::shared_ptr<communicator> by, const device& where)
      : by_(std::move(by)), where_(where) {}
  int rank() const override { return by_->rank(); }
  int size() const override { return by_->size(); }
  int ranks_here() const override { return by_->ranks_here(); }
  const char* transport() const override { return by_->transport(); }
  bool takes_gpu_memory() const override { return true; }
  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    by_->all_gather(mine, bytes, all);
  }
  std::unique_ptr<message_set> messages(std::vector<rank_message> out,
                                        std::vector<rank_message> in) override {
    ++sets;
    return std::make_unique<staged>(*this, std::move(out), std::move(in));
  }
  void give_up(int code) noexcept override { by_->give_up(code); }
  int moved = 0;  ///< messages that were in the memory of a GPU
  int sets = 0;   ///< sets of messages that were made

 private:
  class staged final : public message_set {
   public:
    staged(gpu_aware_ranks& ranks, std::vector<rank_message> out, std::vector<rank_message> in)
        : ranks_(ranks), out_(std::move(out)), in_(std::move(in)) {
      messages_ = ranks_.by_->messages(copies_of(out_, here_), copies_of(in_, there_));
    }
    void start() override {
      const device& where = ranks_.where_;
      for (std::size_t k = 0; k < out_.size(); ++k) {
        if (!device_of_memory(out_[k].data)) {
          std::memcpy(here_[k].data(), out_[k].data, out_[k].bytes);
          continue;
        }
        ++ranks_.moved;
        memory_of(where.on()).download(where, here_[k].data(), out_[k].data, out_[k].bytes);
      }
      messages_->start();
    }
    void finish() override {
      const device& where = ranks_.where_;
      messages_->finish();
      for (std::size_t k = 0; k < in_.size(); ++k)
        if (device_of_memory(in_[k].data))
          memory_of(where.on()).upload(where, in_[k].data, there_[k].data(), in_[k].bytes);
        else
          std::memcpy(in_[k].data, there_[k].data(), in_[k].bytes);
    }

   private:
    static std::vector<rank_message> copies_of(std::vector<rank_message> all,
                                               std::vector<std::vector<std::byte>>& copies) {
      copies.resize(all.size());
      for (std::size_t k = 0; k < all.size(); ++k) {
        copies[k].resize(all[k].bytes);
        all[k].data = copies[k].data();
      }
      return all;
    }
    gpu_aware_ranks& ranks_;
    std::vector<rank_message> out_, in_;
    std::vector<std::vector<std::byte>> here_, there_;
    std::unique_ptr<message_set> messages_;
  };
  std::shared_ptr<communicator> by_;
  device where_;
};

TEST(divided_by_gpu_aware_ranks, has_the_bits_of_other_transports) {
  if (const cuda_presence found = find_cuda(); found.devices == 0) GTEST_SKIP() << found.reason;
  const device gpu = device::cuda(0);
  const csr<double> a = generate("poisson2d:60x47");
  const std::vector<double> b = random_vector(a.rows, 1);
  const grid<double> start = random_field<double>(extents(60, 47), 2);
  run_as_ranks(2, [&](std::shared_ptr<communicator> threads) {
    const auto aware = std::make_shared<gpu_aware_ranks>(threads, gpu);
    const bool root = threads->rank() == 0;
    std::vector<std::vector<double>> answers;
    std::vector<grid<double>> fields;
    for (const gpu_transport by : {gpu_transport::mpi, gpu_transport::host}) {
      const char* const name = by == gpu_transport::mpi ? "mpi" : "host";
      const distributed_matrix<double> d(aware, a.view(), equal_rows(a.rows, 2));
      distributed_solver<double> solver(gpu, d, {}, by);
      EXPECT_STREQ(solver.transport(), name);
      const std::vector<double> mine =
          d.scatter(root ? std::span<const double>(b) : std::span<const double>());
      std::vector<double> x(mine.size());
      EXPECT_EQ(solver.solve(mine, x).stopped, stop_reason::converged);
      answers.push_back(d.gather(std::span<const double>(x)));

      distributed_stencil<double> field(
          gpu, aware, start.size(), {},
          {.ranks = extents(1, 2), .steps_per_exchange = 3, .by = by});
      EXPECT_STREQ(field.transport(), name);
      field.scatter(start.view());
      field.run(13);
      fields.push_back(field.gather());
    }
    EXPECT_EQ(answers[0], answers[1]);
    EXPECT_EQ(fields[0], fields[1]);
    EXPECT_GT(aware->moved, 0);
    // The places of messages stay, and an MPI opens another process's memory once.
    EXPECT_LT(aware->sets, aware->moved);
  });
}

}  // namespace
}  // namespace dwell::test
