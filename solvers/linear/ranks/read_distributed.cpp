// SPDX-License-Identifier: MIT
// Opens the file on each rank, and reads the rank's rows.
#include "dwell/linear/read_distributed.hpp"

#include <memory>
#include <utility>

#include "dwell/comm/agreement.hpp"
#include "dwell/formats/binary_matrix.hpp"

namespace dwell {

template <class T>
distributed_matrix<T> read_distributed(std::shared_ptr<communicator> comm,
                                       const std::filesystem::path& file, int threads) {
  const auto whole = together(*comm, [&] { return std::make_unique<binary_matrix_file>(file); });
  return distribute<T>(std::move(comm), *whole, threads);
}

template distributed_matrix<double> read_distributed(std::shared_ptr<communicator>,
                                                     const std::filesystem::path&, int);
template distributed_matrix<float> read_distributed(std::shared_ptr<communicator>,
                                                    const std::filesystem::path&, int);

}  // namespace dwell
