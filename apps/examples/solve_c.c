/* SPDX-License-Identifier: MIT
 * Dwell from C: a Poisson problem prepared once and solved for two right-hand sides, then some steps
 * of a stencil. Every call's status is looked at. */
#include <dwell/dwell.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 60, ROWS = WIDTH * WIDTH };
static int row_ptr[ROWS + 1], col[5 * ROWS];
static double val[5 * ROWS], b[ROWS], x[ROWS];

static void check(int status) {
  if (status == DWELL_SUCCESS) return;
  fprintf(stderr, "status %d: %s\n", status, dwell_last_error());
  exit(status);
}

/* The five-point stencil 4, -1 on WIDTH x WIDTH points, zero outside. */
static void make_matrix(void) {
  int n = 0;
  for (int row = 0; row < ROWS; ++row) {
    const int offsets[] = {-WIDTH, -1, 0, 1, WIDTH};
    for (int k = 0; k < 5; ++k) {
      const int other = row + offsets[k];
      const int leaves_row = (k == 1 || k == 3) && other / WIDTH != row / WIDTH;
      if (other < 0 || other >= ROWS || leaves_row || (k == 1 && row == 0)) continue;
      col[n] = other;
      val[n++] = k == 2 ? 4.0 : -1.0;
    }
    row_ptr[row + 1] = n;
  }
}

int main(void) {
  make_matrix();
  const dwell_csr a = {DWELL_F64, DWELL_HOST, ROWS, ROWS, row_ptr[ROWS], row_ptr, col, val};

  dwell_options* options = NULL;
  check(dwell_cg_options_create(&options));
  check(dwell_options_set_double(options, "rtol", 1e-10));
  check(dwell_options_set_text(options, "preconditioner", "jacobi"));

  dwell_cg* solver = NULL; /* on the first GPU, or the CPU */
  check(dwell_cg_create(&solver, NULL, &a, options));
  dwell_options_destroy(options);

  for (int k = 0; k < 2; ++k) {
    for (int row = 0; row < ROWS; ++row) b[row] = k == 0 ? 1.0 : row % 7, x[row] = 0;
    dwell_report* report = NULL;
    check(dwell_cg_solve(solver, b, x, &report));
    const char *executor = "", *device = "";
    long long iterations = 0;
    double residual = 0;
    check(dwell_report_text(report, "executor", &executor));
    check(dwell_report_text(report, "device", &device));
    check(dwell_report_int(report, "iterations", &iterations));
    check(dwell_report_double(report, "residual_relative_true", &residual));
    printf("solve %d: %s on %s, %lld iterations, residual %.1e\n", k, executor, device, iterations,
           residual);
    dwell_report_destroy(report);
  }
  dwell_cg_destroy(solver);

  const int size[] = {WIDTH, WIDTH};
  dwell_stencil* runner = NULL;
  check(dwell_stencil_create(&runner, NULL, DWELL_F64, 2, size, 0, NULL));
  check(dwell_stencil_set_field(runner, x, DWELL_HOST));
  check(dwell_stencil_run(runner, 100, NULL));
  check(dwell_stencil_get_field(runner, x, DWELL_HOST));
  printf("after 100 steps of averaging the middle is %.4f\n", x[ROWS / 2 + WIDTH / 2]);
  dwell_stencil_destroy(runner);
  return 0;
}
