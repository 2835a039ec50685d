/* SPDX-License-Identifier: MIT
 * Dwell for C, and for languages that call C. Opaque handles, status codes, the message of the last
 * error; no C++ and no CUDA. The functions named dwell_stencil_* are in component stencil
 * (dwell::stencil), all others in component core (dwell::core).
 *
 *   dwell_cg* solver = NULL;
 *   const dwell_csr a = {DWELL_F64, DWELL_HOST, rows, rows, nonzeros, row_ptr, col, val};
 *   if (dwell_cg_create(&solver, NULL, &a, NULL)) puts(dwell_last_error());
 *   int status = dwell_cg_solve(solver, b, x, NULL);
 *   dwell_cg_destroy(solver);
 *
 * Pointers to results may be NULL where nobody wants them; a handle that is destroyed may be NULL.
 * A function that fails leaves its results unchanged. A handle is for one thread at a time.
 */
#ifndef DWELL_DWELL_H
#define DWELL_DWELL_H

#include <stddef.h>
#include <stdint.h>

#include "dwell/base/api.hpp"

#ifdef __cplusplus
extern "C" {
#endif

/* What functions return; the numbers are the exit codes of the command line. 1, 4 and 5 are errors:
 * dwell_last_error() says what was wrong. 2, 3 and 130 are how a solve may end: results are
 * written, x too. */
enum {
  DWELL_SUCCESS = 0,       /* done; a solve: converged */
  DWELL_INPUT_ERROR = 1,   /* an argument, an array or an option that cannot be used */
  DWELL_NOT_CONVERGED = 2, /* within the iterations allowed, or the true residual is too large */
  DWELL_BREAKDOWN = 3,     /* the matrix is not positive definite, or a value is not finite */
  DWELL_DEVICE_ERROR = 4,  /* no such device, a device that failed, or too little memory */
  DWELL_INTERNAL_ERROR = 5,
  DWELL_INTERRUPTED = 130 /* by dwell_..._interrupt() or a progress function */
};

/* One line about the last error of this thread; "" if there was none. Valid until the next call of
 * this thread. */
DWELL_API const char* dwell_last_error(void);
/* Version of the library that is linked: "0.1.0" (on the way to 0.2.0 "0.2.0.dev0"), and
 * 1000000 major + 1000 minor + patch. */
DWELL_API const char* dwell_version(void);
DWELL_API int dwell_version_number(void);

enum { DWELL_F64 = 0, DWELL_F32 = 1 };
/* Further types of images: unsigned char, and IEEE 754's binary16 in 16 bits. */
enum { DWELL_U8 = 2, DWELL_F16 = 3 };
/* Where arrays are. DWELL_CUDA: in the memory of the CUDA device that the handle was made for. */
enum { DWELL_HOST = 0, DWELL_CUDA = 1 };

/* Where work is done. A NULL pointer to one means: the first CUDA device, else the CPU. */
typedef struct dwell_device {
  int kind;     /* DWELL_HOST: threads of the CPU; DWELL_CUDA */
  int number;   /* threads, 0: as many as there may be and are worth it; or the CUDA device */
  void* stream; /* CUDA: a cudaStream_t that orders the work, or NULL; it outlives the handle */
} dwell_device;

/* ---- Options and reports: values by name ---- */

/* Names, kinds and meanings are those of the members of solve_options (include/dwell/linear/solve.hpp),
 * stencil_options (include/dwell/stencil/solve.hpp), convolution_options
 * (include/dwell/arrays/convolution.hpp) and grid_options (include/dwell/grid/grid_solver.hpp): "rtol", "executor", "policy", ... An enumeration is given
 * by its name: "preconditioner" "jacobi", "edge" "periodic", "passes" "each-axis". Truth values are
 * 0 and 1. */
typedef struct dwell_options dwell_options;

DWELL_API int dwell_cg_options_create(dwell_options** options);
DWELL_API int dwell_stencil_options_create(dwell_options** options);
DWELL_API int dwell_convolution_options_create(dwell_options** options);
DWELL_API int dwell_grid_options_create(dwell_options** options);
DWELL_API void dwell_options_destroy(dwell_options* options);
/* DWELL_INPUT_ERROR where no option has the name, or it takes another kind of value. Where a number
 * with a fraction is expected an integer will do. A value's range is checked when a handle is made. */
DWELL_API int dwell_options_set_int(dwell_options* options, const char* name, long long value);
DWELL_API int dwell_options_set_double(dwell_options* options, const char* name, double value);
DWELL_API int dwell_options_set_text(dwell_options* options, const char* name, const char* value);
DWELL_API int dwell_options_set_doubles(dwell_options* options, const char* name,
                                        const double* values, size_t count);
/* The name of option k = 0, 1, ...; NULL past the last one. */
DWELL_API const char* dwell_options_name(const dwell_options* options, int k);

typedef struct dwell_progress {
  int step;       /* iterations or steps done */
  double value;   /* solves: ||r|| / ||b||; stencils: the largest change in a step; NaN: not known */
  double target;  /* the value at which the run ends; NaN: none */
  double seconds; /* since the first step */
} dwell_progress;
/* Called from the thread that runs. 0 ends the run (DWELL_INTERRUPTED), any other value goes on. */
typedef int (*dwell_progress_function)(const dwell_progress* now, void* user);
/* Every `interval` seconds; of systems with interval 0: for every iteration (on grids: on CPUs). NULL: nobody is called. A
 * convolution has no progress to tell: DWELL_INPUT_ERROR. */
DWELL_API int dwell_options_set_progress(dwell_options* options, dwell_progress_function function,
                                         void* user, double interval);

/* What a solve did and what it cost: the members of solve_report (and of the handle's solve_setup,
 * "check_s", ...), of stencil_report (and stencil_setup), of convolution_report or of grid_report by
 * name; enumerations as text, "levels" as "300x200, 150x100, ...". */
typedef struct dwell_report dwell_report;

DWELL_API void dwell_report_destroy(dwell_report* report);
/* DWELL_INPUT_ERROR where the report has no such name, or its value is of another kind. An integer
 * may be asked for as a double. The text is valid as long as the report. */
DWELL_API int dwell_report_int(const dwell_report* report, const char* name, long long* value);
DWELL_API int dwell_report_double(const dwell_report* report, const char* name, double* value);
DWELL_API int dwell_report_text(const dwell_report* report, const char* name, const char** value);
/* The residual norms after 0, 1, ... iterations (option "history"); none: count is 0. Valid as long
 * as the report. */
DWELL_API int dwell_report_history(const dwell_report* report, const double** norms, size_t* count);
/* The name of value k = 0, 1, ...; NULL past the last one. */
DWELL_API const char* dwell_report_name(const dwell_report* report, int k);

/* ---- Conjugate gradients ---- */

/* A matrix in compressed sparse rows: row_ptr has rows + 1 entries, col and val have row_ptr[rows];
 * columns ascend within a row. */
typedef struct dwell_csr {
  int precision; /* type of val: DWELL_F64 (double) or DWELL_F32 (float); b and x have the same */
  int memory;    /* where the three arrays are: DWELL_HOST or DWELL_CUDA */
  int rows, cols;
  int nonzeros; /* read where memory is DWELL_CUDA */
  const int* row_ptr;
  const int* col;
  const void* val;
} dwell_csr;

/* A matrix with row pointers of 64 bits: of any number of nonzeros, in at most 2^31 - 1 rows. */
typedef struct dwell_large_csr {
  int precision, memory; /* those of dwell_csr */
  int rows, cols;
  int64_t nonzeros; /* read where memory is DWELL_CUDA */
  const int64_t* row_ptr;
  const int* col;
  const void* val;
} dwell_large_csr;

/* The rigid-body modes of a body, for the option "near_null" of preconditioner "amg"
 * (dwell_options_set_doubles; "block_size" is then the rows of a node). coordinates: `dimension`, 2
 * or 3, for each of the nodes, one node after the other. modes: 3 vectors in the plane, 6 in space,
 * one after the other, of `dimension` elements a node; with rotations (not 0), as of shells, of 3 or
 * 6. */
DWELL_API int dwell_rigid_body_modes(int dimension, size_t nodes, const double* coordinates,
                                     int rotations, double* modes);

/* A prepared system, as linear_solver (include/dwell/linear/linear_solver.hpp) is: checked, planned, uploaded once. */
typedef struct dwell_cg dwell_cg;

/* On a CPU host arrays are read in place, and must stay valid for the life of the handle. NULL for
 * options: all defaults. The options may be destroyed afterwards. */
DWELL_API int dwell_cg_create(dwell_cg** solver, const dwell_device* device, const dwell_csr* a,
                              const dwell_options* options);
/* Takes more than 2^31 - 1 nonzeros with the preconditioners none and jacobi, which auto knows;
 * of fewer the handle has row pointers of 32 bits of its own, and all there is. */
DWELL_API int dwell_cg_create_large(dwell_cg** solver, const dwell_device* device,
                                    const dwell_large_csr* a, const dwell_options* options);
/* Waits for a solve in progress. */
DWELL_API void dwell_cg_destroy(dwell_cg* solver);
DWELL_API int dwell_cg_rows(const dwell_cg* solver);

/* Solves A x = b; x is the start vector on entry and the answer on return. Arrays of `rows` elements
 * in the host's memory that do not overlap. *report: a new report, which the caller destroys. */
DWELL_API int dwell_cg_solve(dwell_cg* solver, const void* b, void* x, dwell_report** report);
/* `count` systems: right-hand side k begins at element k * ldb of b, its answer at k * ldx of x.
 * Several go in one pass over the matrix where that pays (option columns_at_once; value
 * columns_together of the reports). One that is not finite is refused after its group.
 * reports: NULL or an array of `count`. Returns the worst end: the greatest status of a solve. */
DWELL_API int dwell_cg_solve_columns(dwell_cg* solver, int count, const void* b, size_t ldb,
                                     void* x, size_t ldx, dwell_report** reports);
/* With b and x in the memory of the handle's CUDA device, used in place, in the order of its stream. */
DWELL_API int dwell_cg_solve_on_device(dwell_cg* solver, const void* b, void* x,
                                       dwell_report** report);
/* A solve in two calls: the first puts the solve into the stream, the second ends it. */
DWELL_API int dwell_cg_start(dwell_cg* solver, const void* b, void* x);
DWELL_API int dwell_cg_wait(dwell_cg* solver, dwell_report** report);
/* Other values for the same pattern, from the next solve on. */
DWELL_API int dwell_cg_update_values(dwell_cg* solver, const void* val, int memory);
/* From the next solve on: converged when ||r|| <= max(rtol ||b||, atol). */
DWELL_API int dwell_cg_set_tolerances(dwell_cg* solver, double rtol, double atol);
/* Ends the solve in progress, or the next one if there is none. From any thread or signal handler. */
DWELL_API void dwell_cg_interrupt(dwell_cg* solver);

/* ---- Iterative stencils ---- */

/* A field that stays on a device, as stencil_runner (include/dwell/stencil/stencil_runner.hpp). */
typedef struct dwell_stencil dwell_stencil;

/* size: `dims` (2 or 3) numbers of cells, slowest axis first. has_source: a source is added in every
 * step. The shape is the option "shape". */
DWELL_API int dwell_stencil_create(dwell_stencil** runner, const dwell_device* device,
                                   int precision, int dims, const int* size, int has_source,
                                   const dwell_options* options);
/* Waits for runs that were started. */
DWELL_API void dwell_stencil_destroy(dwell_stencil* runner);
/* All cells in C order without padding, from or to memory of the kind DWELL_HOST or DWELL_CUDA. */
DWELL_API int dwell_stencil_set_field(dwell_stencil* runner, const void* cells, int memory);
DWELL_API int dwell_stencil_set_source(dwell_stencil* runner, const void* cells, int memory);
DWELL_API int dwell_stencil_get_field(dwell_stencil* runner, void* cells, int memory);
/* One weight per tap of the shape, in their order, from the next run on; count 0: the defaults. */
DWELL_API int dwell_stencil_set_weights(dwell_stencil* runner, const double* weights, size_t count);
/* Does steps and waits for their end. */
DWELL_API int dwell_stencil_run(dwell_stencil* runner, int steps, dwell_report** report);
/* Steps until no cell changes by more than `tolerance` in one step, tested every `check_every`. */
DWELL_API int dwell_stencil_run_until(dwell_stencil* runner, double tolerance, int max_steps,
                                      int check_every, dwell_report** report);
/* Runs in two calls: they are started in order, and waited for together. */
DWELL_API int dwell_stencil_start(dwell_stencil* runner, int steps);
DWELL_API int dwell_stencil_wait(dwell_stencil* runner, dwell_report** report);
/* Ends the run in progress, or the next one if there is none, within about a tenth of a second: a
 * shorter run may be done by then. From any thread or signal handler. */
DWELL_API void dwell_stencil_interrupt(dwell_stencil* runner);

/* ---- Convolutions ---- */

/* A filter of 1 to 31 taps along each axis: a name as `dwell convolve --filter` takes, or weights, or
 * the product of filters of one axis each. The first that is not NULL counts. */
typedef struct dwell_filter {
  const char* name;             /* "gaussian:9" */
  const int* taps;              /* unless there is a name: along each axis, slowest first */
  const double* weights;        /* all of them in C order */
  const double* const* factors; /* for each axis a pointer to its weights */
} dwell_filter;

/* A filter that is prepared for images of one size, as convolution_runner
 * (include/dwell/arrays/convolution_runner.hpp). */
typedef struct dwell_convolution dwell_convolution;

/* cells: of the images, DWELL_F64, DWELL_F32, DWELL_U8 or DWELL_F16. result: of the outcome, the same
 * (of 8 and of 16 bits sums, which are of float, are rounded to it, and to 8 bits cut off at 0 and
 * 255); of DWELL_U8 and DWELL_F16 also DWELL_F32. size: `dims` (2 or 3) numbers of cells of an image,
 * slowest axis first; the filter has as many axes. images: so many lie one after the other. NULL for
 * options: all defaults. */
DWELL_API int dwell_convolution_create(dwell_convolution** runner, const dwell_device* device,
                                       int cells, int result, int dims, const int* size,
                                       long long images, const dwell_filter* filter,
                                       const dwell_options* options);
/* Waits for runs that were started. */
DWELL_API void dwell_convolution_destroy(dwell_convolution* runner);
/* The filter over all images, in C order without padding, to `out`, which does not overlap them; both
 * in memory of the kind DWELL_HOST or DWELL_CUDA. Done when it returns. */
DWELL_API int dwell_convolution_run(dwell_convolution* runner, const void* images, void* out,
                                    int memory, dwell_report** report);
/* Runs in two calls, in the memory of the handle's CUDA device and the order of its stream: they
 * are started in order, and waited for together. The report is of the last dwell_convolution_run(). */
DWELL_API int dwell_convolution_start(dwell_convolution* runner, const void* images, void* out);
DWELL_API int dwell_convolution_wait(dwell_convolution* runner, dwell_report** report);

/* ---- Systems on grids ---- */

/* A problem -div(k grad u) + s u = f on a box of `dims` (1 to 3) dimensions, as grid_description
 * (include/dwell/grid/grid_operator.hpp). Numbers per axis are slowest axis first, cells in C order.
 * What is NULL or 0 has the value that is given with it, but k, which must be above 0. */
typedef struct dwell_grid {
  int precision;                  /* type of k_cells, k_faces, s_cells, f and u: DWELL_F64 or DWELL_F32 */
  int dims;                       /* axes */
  const int* cells;               /* unknowns along each axis */
  const double* spacing;          /* along each axis; NULL: 1 */
  int vertex_centred;             /* 1: unknowns are on vertices; 0: in the centres of cells */
  int arithmetic_mean;            /* 1: k of a face is the arithmetic mean; 0: the harmonic one */
  double k;                       /* where k_cells is NULL */
  const void* k_cells;            /* for each cell */
  const double* k_axes;           /* factors of k, and of k_faces, along each axis; NULL: 1 */
  const void* k_faces[3];         /* for each axis k of its faces, one more than cells; or NULL */
  double s;                       /* where s_cells is NULL */
  const void* s_cells;            /* for each cell */
  const char* boundary;           /* "x: dirichlet 0, y: neumann"; NULL: "dirichlet" */
  const double* side_values[3][2]; /* [axis][low, high] for each cell of the side; or NULL */
} dwell_grid;

/* A prepared system on a grid, as grid_solver (include/dwell/grid/grid_solver.hpp). A NULL device is
 * the CPU; a GPU is asked for. Arrays of the problem are in the host's memory, and read when a handle
 * is made or updated. An option "rtol" that is not set is that of the precision. */
typedef struct dwell_grid_solver dwell_grid_solver;

/* NULL for options: all defaults. */
DWELL_API int dwell_grid_solver_create(dwell_grid_solver** solver, const dwell_device* device,
                                       const dwell_grid* grid, const dwell_options* options);
DWELL_API void dwell_grid_solver_destroy(dwell_grid_solver* solver);
/* Unknowns. */
DWELL_API size_t dwell_grid_solver_rows(const dwell_grid_solver* solver);
/* 1 where nothing holds u: constants are in the null space. */
DWELL_API int dwell_grid_solver_singular(const dwell_grid_solver* solver);
/* u is the start on entry and the answer on return. Arrays of `rows` elements that do not overlap. */
DWELL_API int dwell_grid_solver_solve(dwell_grid_solver* solver, const void* f, void* u,
                                      dwell_report** report);
/* A u = b for b as it is: values of sides have no part in it. */
DWELL_API int dwell_grid_solver_solve_algebraic(dwell_grid_solver* solver, const void* b, void* u,
                                                dwell_report** report);
/* Likewise with arrays in the memory of the handle's GPU, in the order of dwell_device.stream. */
DWELL_API int dwell_grid_solver_solve_on_device(dwell_grid_solver* solver, const void* f, void* u,
                                                dwell_report** report);
DWELL_API int dwell_grid_solver_solve_algebraic_on_device(dwell_grid_solver* solver, const void* b,
                                                          void* u, dwell_report** report);
/* Other coefficients or conditions from the next solve on; precision, dims and cells as before. */
DWELL_API int dwell_grid_solver_update(dwell_grid_solver* solver, const dwell_grid* grid);
/* From the next solve on: converged when ||b - A u|| <= max(rtol ||b||, atol). */
DWELL_API int dwell_grid_solver_set_tolerances(dwell_grid_solver* solver, double rtol, double atol);
/* Ends the solve in progress, or the next one if there is none. From any thread or signal handler. */
DWELL_API void dwell_grid_solver_interrupt(dwell_grid_solver* solver);

#ifdef __cplusplus
}
#endif

#endif
