// SPDX-License-Identifier: MIT
// Rows that each rank reads from a file or makes itself: the divided matrix has the bits of the
// whole one that is divided, and what one rank finds wrong ends all.
#include "dwell/linear/distribute.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "battery.hpp"
#include "divided_answer.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/formats/binary_matrix.hpp"
#include "dwell/linear/read_distributed.hpp"
#include "scratch.hpp"

namespace dwell::test {
namespace {

template <class T>
bool same(const distributed_matrix<T>& a, const distributed_matrix<T>& b) {
  const csr_view<T> x = a.local(), y = b.local();
  const auto nonzeros = static_cast<std::size_t>(x.nonzeros());
  const auto equal = [](auto&& p, auto&& q) {
    return std::equal(p.begin(), p.end(), q.begin(), q.end());
  };
  return x.rows == y.rows && x.cols == y.cols && x.nonzeros() == y.nonzeros() &&
         equal(a.first_rows(), b.first_rows()) && equal(a.ghosts(), b.ghosts()) &&
         a.all_nonzeros() == b.all_nonzeros() && a.halo().elements == b.halo().elements &&
         std::equal(x.row_ptr, x.row_ptr + x.rows + 1, y.row_ptr) &&
         std::equal(x.col, x.col + nonzeros, y.col) &&
         (nonzeros == 0 || std::memcmp(x.val, y.val, nonzeros * sizeof(T)) == 0);
}

/// From memory as rank 0 has it.
template <class T>
distributed_matrix<T> from_memory(const std::shared_ptr<communicator>& comm, const csr<T>& whole) {
  return {comm, whole.view(), balanced_first_rows(whole.row_ptr, comm->size())};
}

template <class T>
void expect_same_divisions(const csr<double>& a, const std::filesystem::path& file, int ranks) {
  const csr<T> whole = convert<T>(a.view());
  run_as_ranks(ranks, [&](std::shared_ptr<communicator> comm) {
    EXPECT_TRUE(same(read_distributed<T>(comm, file), from_memory(comm, whole)));
  });
}

TEST(read_distributed_, has_the_bits_of_the_division_of_the_whole) {
  const scratch_folder in;
  csr<double> lonely{9, 9, {0, 0, 0, 9, 9, 9, 9, 9, 9, 9}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {}};
  lonely.val.assign(9, -0.25);  // one dense row among empty ones
  std::vector<csr<double>> all = {csr<double>{}, generate("poisson2d:1x1"), lonely,
                                  generate("poisson3d:20x21x22"), generate("convection2d:30x40:5")};
  for (const battery_case& c : battery()) all.push_back(c.build());
  for (const csr<double>& a : all) {
    write_binary_matrix(in / "A.dwell", a.view());
    write_binary_matrix(in / "S.dwell", convert<float>(a.view()).view());
    for (const int ranks : {1, 2, 3, 4}) {
      SCOPED_TRACE(testing::Message() << a.rows << " rows, " << ranks << " ranks");
      expect_same_divisions<double>(a, in / "A.dwell", ranks);
      expect_same_divisions<float>(a, in / "A.dwell", ranks);
      const csr<double> rounded = convert<double>(convert<float>(a.view()).view());
      expect_same_divisions<double>(rounded, in / "S.dwell", ranks);
    }
  }
}

TEST(distribute_, makes_rows_in_place_with_the_same_bits) {
  for (const char* kind : {"poisson3d:9x8x7", "neumann2d:20x30", "box3d:7", "jumps2d:60x55:100"})
    for (const int ranks : {1, 2, 3, 4}) {
      const csr<double> whole = generate(kind);
      run_as_ranks(ranks, [&](std::shared_ptr<communicator> comm) {
        EXPECT_TRUE(
            same(distribute<double>(comm, *generate_by_rows(kind)), from_memory(comm, whole)));
      });
    }
}

TEST(distribute_, gives_a_system_that_is_solved_alike) {
  const csr<double> a = generate("poisson2d:40x35");
  const std::vector<double> b = random_vector(a.rows, 4);
  const auto wanted = solve_whole(a, b, {});
  run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
    auto d = distribute<double>(comm, *generate_by_rows("poisson2d:40x35"));
    const std::vector<double> mine = d.scatter(b);
    std::vector<double> x(mine.size());
    distributed_solver<double> solver(device::cpu(1), d);
    EXPECT_NEAR(solver.solve(mine, x).iterations, wanted.report.iterations, 2);
    const auto all = d.gather(x);
    for (std::size_t k = 0; k < all.size(); ++k) EXPECT_NEAR(all[k], wanted.x[k], 1e-6);
  });
}

/// All ranks must throw, the same.
std::string refusal_of_all(int ranks, const std::function<void(std::shared_ptr<communicator>)>& f) {
  std::vector<std::string> messages(static_cast<std::size_t>(ranks));
  run_as_ranks(ranks, [&](std::shared_ptr<communicator> comm) {
    messages[static_cast<std::size_t>(comm->rank())] = message_of([&] { f(comm); });
  });
  for (const std::string& m : messages) EXPECT_EQ(m, messages.front());
  return messages.front();
}

TEST(read_distributed_, ends_all_ranks_where_one_finds_damage) {
  const scratch_folder in;
  const csr<double> a = generate("poisson2d:200x200");
  const auto file = in / "A.dwell";
  write_binary_matrix(file, a.view());
  std::string bytes = bytes_of(file);
  bytes[bytes.size() - 400] ^= 1;  // a value or a checksum that the last rank reads
  put_bytes(file, bytes);
  for (const int ranks : {1, 2, 4}) {
    const auto why =
        refusal_of_all(ranks, [&](auto comm) { read_distributed<double>(comm, file); });
    EXPECT_NE(why.find("A.dwell: expected checksum"), std::string::npos) << why;
  }
  const auto none =
      refusal_of_all(3, [&](auto comm) { read_distributed<double>(comm, in / "none.dwell"); });
  EXPECT_NE(none.find("none.dwell: expected a readable .dwell file"), std::string::npos) << none;
}

TEST(distribute_, refuses_what_ranks_cannot_share) {
  const scratch_folder in;
  csr<double> wide{2, 3, {0, 1, 2}, {0, 2}, {1, 2}};
  write_binary_matrix(in / "wide.dwell", wide.view());
  EXPECT_NE(refusal_of_all(2, [&](auto comm) { read_distributed<double>(comm, in / "wide.dwell"); })
                .find("as many rows as columns, found 2 x 3"),
            std::string::npos);
  EXPECT_NE(refusal_of_all(3,
                           [&](auto comm) {
                             const char* kind =
                                 comm->rank() == 1 ? "poisson2d:9x8" : "poisson2d:9x9";
                             distribute<double>(comm, *generate_by_rows(kind));
                           })
                .find("the same one on all ranks"),
            std::string::npos);
  EXPECT_NE(refusal_of_all(2,
                           [&](auto comm) {
                             distribute<double>(comm,
                                                *generate_by_rows("poisson3d:2000x2000x2000"));
                           })
                .find("expected at most 2147483647 rows and nonzeros on a rank, found "),
            std::string::npos);
  csr<double> large = generate("poisson2d:3x3");
  large.val[30] = 1e300;
  write_binary_matrix(in / "large.dwell", large.view());
  EXPECT_NE(refusal_of_all(2, [&](auto comm) { read_distributed<float>(comm, in / "large.dwell"); })
                .find("single precision, found 1e+300"),
            std::string::npos);
}

}  // namespace
}  // namespace dwell::test
