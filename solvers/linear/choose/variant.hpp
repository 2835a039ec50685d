// SPDX-License-Identifier: MIT
// The variants of the methods as values: their names and what each compiled program does. The table
// is written by CMake from the list in execution/krylov/kernels.hpp; private to the solver.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "dwell/comm/halo.hpp"
#include "dwell/execution/device/plan_target.hpp"
#include "dwell/execution/device/run_control.hpp"
#include "dwell/execution/device/run_judge.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/execution/krylov/plan/planning_apart.hpp"
#include "dwell/execution/krylov/products/sequence.hpp"
#include "dwell/linear/matrix_class.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/method/cost_model.hpp"

namespace dwell {

/// A matrix and the device that systems with it are to be solved on. The arrays must stay valid.
template <class T>
struct solve_request {
  const plan_target& target;
  cut_cache<T>& cuts;  ///< the matrix's, which variants share; where it is solved if `may_try`
  const solve_options& options;
  int matrix_exponent = 0;                   ///< the matrix is divided by two to this power
  bool may_try = false;                      ///< plans, on target.here
  double* compile_s = nullptr;               ///< trials add the seconds of what they compile
  const owned_sequence* sequence = nullptr;  ///< sequence of preconditioners that are one
  const row_ranks* ranks = nullptr;          ///< among which the rows are divided
};

/// Where a prepared run has the data of one column, in the device's memory.
template <class T>
struct run_places {
  T* x = nullptr;                 ///< the start vector, and the answer
  T* rhs = nullptr;               ///< read at the start
  int stride = 1;                 ///< elements of x, and of rhs, are so many apart
  T* inverse_diagonal = nullptr;  ///< null without Jacobi; written once, before the first run
  double* target2 = nullptr;      ///< the square of the residual's norm to reach; between reset()
                                  ///< and start()
  const int* step = nullptr;      ///< scalars of the end
  const int* stop = nullptr;
  const double* rr = nullptr;
  /// Stride of a batch: bytes from target2, step, stop and rr of a system to those of the next one.
  std::size_t system_stride = 0;
  bool own_scale = false;  ///< x and rhs are the caller's numbers, which the run scales itself
};

/// A variant of the iteration, ready to run on a device again and again.
template <class T>
class prepared_run {
 public:
  prepared_run() = default;
  prepared_run(const prepared_run&) = delete;
  prepared_run& operator=(const prepared_run&) = delete;
  virtual ~prepared_run() = default;
  /// Where rows are divided among ranks: see program_run. Else there is nothing to do.
  virtual void connect() = 0;
  /// column: 0, or of a variant for several columns one of them.
  virtual run_places<T> places(int column = 0) = 0;
  /// Loads the kernel, which the first run would do, and compiles it if it is not there. What that
  /// took of it.
  virtual kernel_making load_kernel() = 0;
  /// The values of a matrix with the same pattern, times 2^exponent.
  virtual void refill(const large_csr_arrays<T>& a, int exponent) = 0;
  /// Gives variants that have a sequence this one from now on, which must stay.
  virtual void take_sequence(const owned_sequence& sequence) = 0;
  /// From now on a run ends after so many iterations, at most those that it was prepared for.
  virtual void limit(int iterations) = 0;
  /// The judge of the runs that follow, or null; it must stay until they end. Only runs on a CPU
  /// for one right-hand side ask one.
  virtual void ask(run_judge* judge) = 0;
  /// The scalars of a start.
  virtual void reset() = 0;
  /// Puts a run into the device's stream; `control` must stay until finish().
  virtual void start(run_control& control) = 0;
  /// Waits for its end; seconds from the first to the last phase, on the device's clock.
  virtual double finish() = 0;
  /// Coefficients of steps 0 to count - 1, as far as they were recorded; of several columns, those
  /// of a step side by side. Of a batch: the first `count` entries of all systems, each of which
  /// has batch_coefficients(options) of them.
  virtual std::vector<step_coefficients> coefficients(std::size_t count) const = 0;
  /// History of a variant for one column.
  virtual std::vector<double> history(std::size_t count) const = 0;
  /// The last step whose residual was noted, -1: none was. A run that breaks down within a step
  /// leaves no residual, no history and no coefficients of it.
  virtual int last_noted() const = 0;
};

template <class T>
struct variant_code {
  planned<T> (*plan)(const solve_request<T>&, const program_kernel&);
  /// Plans a batch, whose matrices are the diagonal blocks of the request's one; `v` is alone.
  planned<T> (*plan_batch)(const solve_request<T>&, const program_kernel& v,
                           const systems_request&);
  /// The plan is of this variant; `where` has the stream that all work goes to.
  std::unique_ptr<prepared_run<T>> (*prepare)(const device& where, const solve_request<T>&,
                                              const program_kernel&, const planned<T>&);
};

struct solver_variant {
  const char* method;  ///< what solve_options::method says
  const char* title;   ///< title of the method, in words
  matrix_class solves;
  const char* breaks_down;  ///< how, in words
  bool shows_spectrum;      ///< its coefficients are those of a Lanczos process
  const char* name;         ///< what solve_options::variant says
  const char* program;      ///< in the table of compiled kernels
  int columns;              ///< right-hand sides that it solves together
  std::span<const char* const> vectors;
  // See cost_model.hpp.
  bool planned_first, needs_residual_replacement;
  bool with_sequence;                         ///< the preconditioner is a sequence of products,
  bool without;                               ///< or none or Jacobi
  bool (*may_beat)(const cost_model& first);  ///< or null
  variant_code<double> f64;
  variant_code<float> f32;

  template <class T>
  const variant_code<T>& code() const {
    if constexpr (std::is_same_v<T, double>)
      return f64;
    else
      return f32;
  }
};

/// All of iterative methods; those of a method in a row, the one for CPUs first.
std::span<const solver_variant> solver_variants();

/// Those of a method, be it direct. Throws input_error with the list if there is no such method;
/// "auto" is none.
std::span<const solver_variant> solver_variants(std::string_view method);

/// The variants for several right-hand sides, by their number: 2, 4, 8.
std::span<const solver_variant> column_variants();

/// Throws input_error with the list if the method has no such variant; "auto" is none.
const solver_variant& find_variant(std::string_view method, std::string_view name);

}  // namespace dwell
