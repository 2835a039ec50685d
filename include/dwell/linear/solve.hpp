// SPDX-License-Identifier: MIT
// Linear systems A x = b by iterative methods: conjugate gradients (Hestenes and Stiefel, 1952) for
// symmetric positive definite matrices, MINRES (Paige and Saunders, 1975) for symmetric ones,
// Bi-CGSTAB (van der Vorst, 1992) and GMRES (Saad and Schultz, 1986) for all; and a direct solver.
// Options, report, and the one call that solves. Nothing here needs CUDA.
#pragma once
#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/device/progress_function.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/linear/matrix_class.hpp"
#include "dwell/linear/most_null_vectors.hpp"
#include "dwell/linear/preconditioner_options.hpp"

namespace dwell {

/// "none", "jacobi", "amg", "fsai", "block-jacobi", "ilu0", "chebyshev", "aggregation" or, of the
/// enumerator automatic, "auto".
DWELL_API std::string to_string(preconditioner p);
/// All of them.
DWELL_API std::vector<preconditioner> preconditioners();
/// Throws input_error if none has the name.
DWELL_API preconditioner parse_preconditioner(std::string_view name);

/// A method, as solve_options::method names it.
struct method_description {
  std::string name;                             ///< "cg"
  std::string title;                            ///< "conjugate gradients"
  matrix_class solves = matrix_class::general;  ///< which matrices
  std::string breaks_down;                      ///< how, in words
  bool iterative = true;                        ///< else it factorises the matrix
};
/// All of them; each solves what those before it solve too. The last one is "direct", in programs
/// that were built with Eigen.
DWELL_API std::vector<method_description> methods();

/// The forms of a method's iteration, which solve_options::variant may be besides "auto". Throws
/// input_error if there is no such method.
DWELL_API std::vector<std::string> variants_of(std::string_view method);

/// Why a solve ended.
enum class stop_reason {
  converged,        ///< the residual fell under the tolerance
  iteration_limit,  ///< max_iterations were done
  breakdown,        ///< a method cannot go on: of cg p.Ap <= 0, the matrix is not positive definite
  not_finite,       ///< a NaN or an infinity appeared, or the answer has an element too large for
                    ///< its format: x is then the start vector, or of an earlier step with a
                    ///< smaller residual
  interrupted,      ///< the caller asked to stop, by `interrupt` or from `progress`
  accuracy_limit  ///< the residual of the iteration fell under the tolerance, the true one did not,
                  ///< and beginning anew (solve_options::refine) no longer helped: rounding allows
                  ///< no better
};
/// In words, as reports have it: "converged".
DWELL_API std::string to_string(stop_reason r);

/// What a running solve tells: called from the thread that called solve().
struct solve_progress {
  int iteration = 0;             ///< done so far
  double relative_residual = 0;  ///< ||r|| / ||b||, recursive
  double target = 0;             ///< the relative residual at which the solve ends
  double seconds = 0;            ///< since the first iteration
};

/// What a solve is asked to do. Its defaults are the command line's, but for --solver (auto).
struct solve_options {
  /// "cg", "minres", "bicgstab", "gmres" or "auto": the first of them whose demands the matrix
  /// meets: symmetric with a positive diagonal, symmetric, none. Where cg then breaks down, since
  /// the matrix is not positive definite, minres begins instead, from the same start vector (not in
  /// solve_async(), nor with amg, fsai and chebyshev). "direct" factorises the matrix, on a CPU, by
  /// one thread of Eigen: L D L^T in the order of approximate minimum degree where it is symmetric,
  /// be it indefinite, and L U with pivoting where it is not, where a pivot is zero, or where the
  /// residual shows that pivots were needed. A step of it is one solution with the factors, and
  /// those after the first one refine; "auto" goes on with it where that is projected to be sooner.
  /// Its preconditioner is none or automatic; executor, policy, null_space and others that it
  /// cannot follow are refused. It hears of an interrupt before and after factorisations alone.
  std::string method = "cg";
  /// "auto", "host-loop", "graph", "persistent", "perks".
  std::string executor = "auto";
  /// What perks caches on the chip: "auto", "none", "vectors", "matrix", "mixed", "greedy",
  /// "model"; "measured" tries the plans of these on the device first, which takes some
  /// milliseconds.
  std::string policy = "auto";
  /// The variant of the iteration. Of cg "textbook" (Hestenes and Stiefel, three barriers per
  /// iteration), "single-reduction" (two) and "pipelined" (one, with residual replacement), the
  /// forms of Chen and Carson; "auto": on a GPU the one with the least projected time (pipelined
  /// only in one kernel), on a CPU textbook. Of bicgstab "textbook" (four) and "pipelined" (two,
  /// likewise); "auto": textbook. Of direct "ldlt" and "lu"; "auto": by the matrix.
  std::string variant = "auto";
  /// What the residual is multiplied by; automatic: chosen while the solve runs. Of minres jacobi
  /// has the magnitudes of the diagonal; of bicgstab it is applied from the right. amg, fsai and
  /// chebyshev are for symmetric positive definite matrices, ilu0 and aggregation for bicgstab and
  /// gmres; which methods take those that are chains of products, error messages say.
  dwell::preconditioner preconditioner = dwell::preconditioner::automatic;
  /// Options of the preconditioner. Refused with input_error where the preconditioner is set up.
  preconditioner_options preconditioning;
  /// Converged when ||r|| <= max(rtol ||b||, atol). Both >= 0 and finite.
  double rtol = 1e-8;
  double atol = 0;             ///< see rtol
  int max_iterations = 10000;  ///< the solve ends there, as iteration_limit
  /// gmres: iterations from one restart to the next, and vectors of its basis, 8 bytes a row each
  /// in f64. From 1 to 500.
  int restart = 30;
  /// The null space of the matrix, which must then be symmetric. "auto": that of the constant
  /// vectors where all row sums of a symmetric matrix are zero up to rounding, as of a Laplacian
  /// with Neumann boundaries (methods cg and minres; with bicgstab, which does not look at
  /// symmetry, none). "constant": take it for that, by any method; columns must then have sums of
  /// about zero, and so must rows, or it is refused. "none": do not look. Where it is "constant"
  /// the mean of b is taken from b, which need not be consistent then (the caller's b stays as it
  /// is), and x is the solution whose mean is 0, that of least norm; the norm of b in the
  /// tolerance, and the residuals, are those without the mean. Where nothing better was found than
  /// the start vector, x is that, with the mean that it has. A matrix of several parts that are not
  /// connected has more null vectors: these are not found, but may be given (null_vectors). Not in
  /// cg_batch.
  std::string null_space = "auto";
  /// The null space of a symmetric matrix, as 1 to 6 vectors that span it, one after another, of
  /// as many elements as the matrix has rows: the rigid-body modes of an elastic body that nothing
  /// holds, an indicator of each part of a Laplacian of several parts. They need not be orthogonal
  /// (modified Gram-Schmidt, twice, makes them so) but independent, and A n must be about zero.
  /// What b has in their span is taken from it, and x is the solution that is orthogonal to them,
  /// that of least norm; norms are those of what is left. As with null_space, a start vector that
  /// comes back is as it was given. null_space must be "auto" then. By any method; not in cg_batch.
  std::vector<double> null_vectors;
  /// Where the residual that the iteration carries has fallen under the tolerance and the true one,
  /// computed from x in f64, has not, begin anew from x: a step of iterative refinement. That is
  /// repeated as long as each attempt at least halves the true residual, and within max_iterations
  /// of all attempts together. If the tolerance is still not met, the solve ends as accuracy_limit.
  /// Not with fixed_iterations, not where the tolerance is 0, not in solve_async() nor in cg_batch:
  /// there, as with `false`, the solve ends as converged and the report's target_missed says the
  /// rest. It takes a copy of x, from the second attempt on.
  bool refine = true;
  /// Solves systems in f64 by iterations in f32, which halves the bytes that an iteration moves,
  /// and lets twice as much stay on the chip. b, x and residuals stay in f64: each attempt solves A
  /// d = r in f32 for the residual r and adds d to x, until the true residual meets the tolerance
  /// (iterative refinement: Wilkinson 1963; Carson and Higham 2018; Goeddeke, Strzodka and Turek
  /// 2007), within max_iterations of all attempts. Where f32 is too short for the matrix, the solve
  /// goes on in f64 from the answer so far, and the report's reason says so. The f32 copy of the
  /// values takes 4 bytes per nonzero besides the f64 matrix. Several right-hand sides are solved
  /// one after another. Not with fixed_iterations, not in solve_async() nor in cg_batch.
  bool mixed_precision = false;
  /// Skip the symmetry check, which takes about as long as a few dozen iterations on a CPU.
  bool assume_symmetric = false;
  /// Record ||r|| of every iteration in solve_report::history, as the iteration carries it. Of an
  /// attempt after the first one (refine) the entry of its start is left out: there is one entry
  /// per iteration and one for the start of all. A GPU sets 8 bytes aside for each of
  /// max_iterations (device_error if it has not so much), a CPU takes memory as they come.
  bool history = false;
  /// For timing: run max_iterations, whatever the residual and the sign of p.Ap.
  bool fixed_iterations = false;
  /// Set to true (from a signal handler or another thread) to end at the next iteration. Set while
  /// a solver is prepared it ends that with interrupted_error; while a solve prepares another
  /// preconditioner or method, with the answer so far. Several ranks hear it in the set-up of a
  /// preconditioner amid a solve, not in that of a solver.
  const std::atomic<bool>* interrupt = nullptr;
  /// Called about every `progress_interval` seconds while iterating, first when the residual of
  /// the start is known. If it returns a bool, false stops the solve (stop_reason::interrupted) at
  /// the next iteration that looks; what else it may return is ignored. With an interval of 0 it is
  /// called for every iteration from 0 on, in order, none left out; the solve does not wait for it,
  /// so calls may lag behind by some milliseconds, the last ones until after its end, and a false
  /// takes effect as late. That needs the memory of a history. A step within which a run breaks
  /// down has no residual to tell of; where another method or f64 takes over from the start vector,
  /// it counts from 0 again.
  progress_function<solve_progress> progress;
  double progress_interval = 0.1;  ///< seconds
  /// Number of right-hand sides (linear_solver) that are solved in one pass over the matrix.
  /// 0: as many as pay, by the model of the device; with phases that a GPU launches one by one (its
  /// ranks, executors host-loop and graph) none. 1: one after another. 2, 4, 8: so many, and of
  /// what is left over the next smaller numbers. Executors that cache nothing can do it, in the
  /// textbook form, and so do "auto" and ranks; with another executor, form or caching policy, with
  /// `history` or `progress` (on any rank), systems are solved one after another, and the report's
  /// reason says why.
  int columns_at_once = 0;
  /// Overrides of the plan, for tests and tuning; 0 or -1 means "as planned".
  int teams = 0;
  int config = -1;                   ///< which of the compiled kernels
  std::size_t scratch_per_team = 0;  ///< bytes that perks may use; 0: what the device has
  bool clusters = true;              ///< the blocks of perks may be one thread block cluster
  /// CPU only, for tests: run the lanes of a team in reverse order. The answer must not change.
  bool reverse_lanes = false;
};

/// What preparing the solves of a matrix took, in seconds on the host's clock.
struct solve_setup {
  /// Creating the CUDA context, where this was the first use of the device in the process; in no
  /// sum.
  double context_s = 0;
  double check_s = 0;           ///< checks of the matrix
  double upload_s = 0;          ///< its arrays to the device
  double plan_s = 0;            ///< executor, form, policy, config; trials of plans
  double cut_s = 0;             ///< into tiles, in the device's memory
  double preconditioner_s = 0;  ///< set-up of preconditioners that have one of their own
  double analyse_s = 0;         ///< method direct: the order of the rows, and the fill
  double factor_s = 0;          ///< method direct: the factors
  /// Compiling kernels that the library does not have (solve_report::compiler); 0 if all of them
  /// were in the cache.
  double compile_s = 0;
  double load_s = 0;  ///< loading the kernel (long at its first use in the process), graphs
  /// The sum of all but context_s.
  double total() const {
    return check_s + upload_s + plan_s + cut_s + preconditioner_s + analyse_s + factor_s +
           compile_s + load_s;
  }
  /// Adds the parts of another one, context_s left out.
  solve_setup& operator+=(const solve_setup& other) {
    check_s += other.check_s;
    upload_s += other.upload_s;
    plan_s += other.plan_s;
    cut_s += other.cut_s;
    preconditioner_s += other.preconditioner_s;
    analyse_s += other.analyse_s;
    factor_s += other.factor_s;
    compile_s += other.compile_s;
    load_s += other.load_s;
    return *this;
  }
};

/// One of the runs that a solve is made of.
struct solve_attempt {
  std::string method;                                                  ///< never "auto"
  dwell::preconditioner preconditioner = dwell::preconditioner::none;  ///< never automatic
  int iterations = 0;                                                  ///< iterations of this run
  double residual_relative_true = 0;  ///< residual of its answer, in f64
  double setup_s = 0;  ///< set-ups between the run before and this one; of the first 0
  double solve_s = 0;  ///< from its first to its last phase
  std::string ended;   ///< how it ended, or why another one followed
};

/// What was run, why, what it cost, and whether the answer is right.
struct solve_report {
  std::string method;           ///< never "auto"
  std::string method_reason;    ///< why this one
  std::string executor;         ///< never "auto"
  std::string variant;          ///< never "auto"
  std::string policy = "none";  ///< what is cached on the chip between iterations
  /// Whose plan that is, where `policy` ("model", "measured") picks among those of others.
  std::string policy_chosen = "none";
  std::string reason;  ///< why this executor and this plan, one line
  /// What compiled its kernels when they were needed, "NVRTC 13.0"; empty: they were compiled with
  /// the library.
  std::string compiler;
  std::string device;         ///< name of the device
  backend on = backend::cpu;  ///< kind of the device
  std::string precision;      ///< "f64", "f32", "mixed"; of complex systems "complex f64" (or f32)
  /// The one that was asked for or chosen: never automatic.
  dwell::preconditioner preconditioner = dwell::preconditioner::none;
  std::string preconditioner_reason = "as asked";  ///< why this one
  /// What a user should know of it as it was set up, one line: how it coarsens and why, or that it
  /// ended early; may be empty.
  std::string preconditioner_note;
  /// The near-null vectors that were given do not fit the matrix: |A z| is not small, as the note
  /// says.
  bool near_null_misfit = false;
  /// The runs one after another: of preconditioner and method "auto" those that were tried, and
  /// those by which the answer was refined. Empty of systems that were solved together with others.
  std::vector<solve_attempt> attempts;
  int teams = 0;  ///< threads or thread blocks
  int lanes = 0;  ///< per team
  std::size_t bytes_per_iteration =
      0;  ///< that one iteration, of all the mean, must move, by the model, nothing cached

  int iterations = 0;                            ///< done
  stop_reason stopped = stop_reason::converged;  ///< why it ended
  double rhs_norm = 0;  ///< ||b||; with a null space of b without its part in it
  /// "constant" where the solve was one modulo constant vectors (solve_options::null_space),
  /// "given" where it was one modulo solve_options::null_vectors, else "none".
  std::string null_space = "none";
  /// ||removed|| / ||b||, 0 to 1: the part of b for which there is no solution, and which was taken
  /// away. About 1e-16 (f32: 1e-7) or less where b is consistent.
  double rhs_outside_range = 0;
  /// That is more than rounding explains (1e-6, in f32 1e-3): the system has no solution, and the
  /// answer is one of the system without that part of b.
  bool rhs_inconsistent = false;
  /// Numbers that the factors of method direct hold.
  std::size_t factor_nonzeros = 0;
  std::size_t factor_bytes = 0;  ///< taken by these and their places
  double residual_relative_recursive =
      0;  ///< ||r|| / ||b|| as the iteration carries it (||r|| if b = 0)
  double residual_relative_true = 0;  ///< ||b - Ax|| / ||b||, recomputed in f64
  bool residuals_disagree = false;    ///< by more than a factor of ten
  /// max |b - Ax|_i / (|A||x| + |b|)_i, by x as it is (Oettli and Prager, 1964): by which part of
  /// their size numbers of a row must be changed at most for x to be exact. About the unit
  /// roundoff at best, 1 where a row is not solved at all. Rows whose terms are all nearly zero,
  /// as far from a point source, count like others.
  double componentwise_backward_error = 0;
  /// Converged by the norm, but not in every row: in one of them the residual is at least 0.01 of
  /// (|A||x| + |b|)_i + (|A| max|x|)_i, which leaves out rows that the answer's largest elements
  /// would not notice, and the true residual is less than 0.01 of b. Rows of very different sizes
  /// do that: scale them, or ask for a smaller rtol.
  bool rows_missed = false;
  /// The residual of the iteration met the tolerance (of 0: it is 0), and the true one is
  /// above it: with stop_reason::accuracy_limit, or with converged where nothing was refined.
  bool target_missed = false;
  /// How often the iteration began anew from its answer (solve_options::refine, mixed_precision).
  /// Iterations,
  /// history and seconds are of all attempts; the residuals are of x, which is that of the attempt
  /// with the smallest true residual; the condition is what the first attempt showed.
  int refinements = 0;
  std::vector<double> history;  ///< ||r|| after 0, 1, ... iterations, if asked for
  /// Condition of A, or of A scaled by its diagonal (jacobi), as far as the iteration and the
  /// diagonal show it: the true condition is not smaller but for rounding (in f32 a percent, once
  /// the residual no longer falls), and may be larger where b hides an eigenvector. 0: not known
  /// (fewer than two iterations, b = 0, fixed_iterations, or another method than cg).
  double condition_estimate = 0;
  /// condition_estimate times the true relative residual: how large ||error|| / ||x|| may be by
  /// what is known of the condition (jacobi: in the norm of the diagonal's root). 0: not
  /// known.
  double error_estimate = 0;
  bool no_digit_safe = false;  ///< it is 0.1 or more
  bool stagnated = false;  ///< at the limit: the last third of the iterations did not halve ||r||
  std::string advice;      ///< what to try where it did not converge, one line; may be empty

  /// Times of the matrix's set-up; zeros where a linear_solver was prepared before, but for what
  /// the solve itself prepared (preconditioner::automatic).
  solve_setup setup;
  double setup_s = 0;   ///< setup.total(), and of the vectors: checks and transfers
  double solve_s = 0;   ///< from the first to the last phase, on the device's clock
  double finish_s = 0;  ///< after it: the true residual, the answer to where it belongs
  /// solve_s / iterations. Of several columns together: solve_s over the most iterations of one of
  /// them, the time of an iteration that serves columns_together systems (or fewer, once some have
  /// ended).
  double per_iteration_us = 0;
  /// Right-hand sides that were solved in one pass over the matrix, this one among them. The
  /// seconds above are those of all together, in the report of each.
  int columns_together = 1;
};

/// Solves A x = b. `x` holds the start vector on entry and the answer on return, also when the
/// solve was interrupted or did not converge. Sizes: b and x have A.rows elements. Throws
/// input_error before any work if A is not square or not what the method asks for (of cg symmetric
/// with a positive diagonal, of minres symmetric, with jacobi a diagonal without zeros), if a size
/// is wrong or a value is not finite, if x overlaps an array of A or b, or if an array is in a
/// GPU's memory; unsupported_error if the executor does not exist on this device; device_error if
/// the device fails or has too little memory.
DWELL_API solve_report solve(const device& where, const csr_view<double>& a,
                             std::span<const double> b, std::span<double> x,
                             const solve_options& options = {});
/// Solves A x = b in f32.
DWELL_API solve_report solve(const device& where, const csr_view<float>& a,
                             std::span<const float> b, std::span<float> x,
                             const solve_options& options = {});
/// Solves A x = b with row pointers of 64 bits (linear_solver.hpp).
DWELL_API solve_report solve(const device& where, const large_csr_view<double>& a,
                             std::span<const double> b, std::span<double> x,
                             const solve_options& options = {});
/// Solves A x = b with row pointers of 64 bits in f32.
DWELL_API solve_report solve(const device& where, const large_csr_view<float>& a,
                             std::span<const float> b, std::span<float> x,
                             const solve_options& options = {});

}  // namespace dwell
