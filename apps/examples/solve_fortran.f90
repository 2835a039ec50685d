! SPDX-License-Identifier: MIT
! Dwell from Fortran, through its C interface: the 1-D Laplacian, solved for b = 1. Handles are
! type(c_ptr), arrays are passed by their address; indices count from 0, as C counts.
program solve_fortran
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(c) :: dwell_csr
    integer(c_int) :: precision = 0  ! DWELL_F64
    integer(c_int) :: memory = 0     ! DWELL_HOST
    integer(c_int) :: rows, cols, nonzeros
    type(c_ptr) :: row_ptr, col, val
  end type

  interface
    integer(c_int) function dwell_cg_create(solver, device, a, options) bind(c)
      import :: c_int, c_ptr, dwell_csr
      type(c_ptr), intent(out) :: solver
      type(c_ptr), value :: device, options
      type(dwell_csr), intent(in) :: a
    end function
    integer(c_int) function dwell_cg_solve(solver, b, x, report) bind(c)
      import :: c_int, c_ptr, c_double
      type(c_ptr), value :: solver
      real(c_double), intent(in) :: b(*)
      real(c_double), intent(inout) :: x(*)
      type(c_ptr), intent(out) :: report
    end function
    integer(c_int) function dwell_report_double(report, name, value) bind(c)
      import :: c_int, c_ptr, c_char, c_double
      type(c_ptr), value :: report
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), intent(out) :: value
    end function
    subroutine dwell_report_destroy(report) bind(c)
      import :: c_ptr
      type(c_ptr), value :: report
    end subroutine
    subroutine dwell_cg_destroy(solver) bind(c)
      import :: c_ptr
      type(c_ptr), value :: solver
    end subroutine
  end interface

  integer, parameter :: n = 1000
  integer(c_int), target :: row_ptr(n + 1), col(3 * n)
  real(c_double), target :: val(3 * n)
  real(c_double) :: b(n), x(n), iterations, residual
  type(dwell_csr) :: a
  type(c_ptr) :: solver, report
  integer :: row, other, k

  k = 0
  row_ptr(1) = 0
  do row = 1, n
    do other = max(row - 1, 1), min(row + 1, n)
      k = k + 1
      col(k) = other - 1
      val(k) = merge(2.0_c_double, -1.0_c_double, other == row)
    end do
    row_ptr(row + 1) = k
  end do
  a%rows = n
  a%cols = n
  a%nonzeros = k
  a%row_ptr = c_loc(row_ptr)
  a%col = c_loc(col)
  a%val = c_loc(val)
  b = 1
  x = 0

  if (dwell_cg_create(solver, c_null_ptr, a, c_null_ptr) /= 0) stop 1
  if (dwell_cg_solve(solver, b, x, report) /= 0) stop 1
  if (dwell_report_double(report, "iterations" // c_null_char, iterations) /= 0) stop 1
  if (dwell_report_double(report, "residual_relative_true" // c_null_char, residual) /= 0) stop 1
  print '(a, i0, a, es8.1, a, f0.3)', "Fortran: ", int(iterations), " iterations, residual ", &
    residual, ", in the middle ", x(n / 2)
  call dwell_report_destroy(report)
  call dwell_cg_destroy(solver)
end program
