// SPDX-License-Identifier: MIT
// q = A p by cuSPARSE's generic interface, made ready once: cuSPARSE ties what it precomputes to
// the matrix's descriptor and to the buffer, so each algorithm has both for itself.
#pragma once
#include "cuda_handles.hpp"

namespace dwell::peers {

/// A CSR matrix in device memory.
struct device_csr {
  int rows = 0, nonzeros = 0;
  int *row_ptr = nullptr, *col = nullptr;
  double* val = nullptr;
};

class cusparse_product {
 public:
  cusparse_product() = default;
  cusparse_product(cusparseHandle_t library, const device_csr& a, cusparseDnVecDescr_t p,
                   cusparseDnVecDescr_t q, cusparseSpMVAlg_t algorithm)
      : library_(library), p_(p), q_(q), algorithm_(algorithm) {
    check(cusparseCreateCsr(a_.out(), a.rows, a.rows, a.nonzeros, a.row_ptr, a.col, a.val,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                            CUDA_R_64F),
          "cusparseCreateCsr");
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(library_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a_.get(), p_,
                                  &zero, q_, CUDA_R_64F, algorithm_, &bytes),
          "cusparseSpMV_bufferSize");
    buffer_ = device_array<char>(bytes);
#if CUSPARSE_VERSION >= 12400  // the first that has it
    check(cusparseSpMV_preprocess(library_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a_.get(), p_,
                                  &zero, q_, CUDA_R_64F, algorithm_, buffer_.get()),
          "cusparseSpMV_preprocess");
#endif
  }

  /// On the library's stream.
  void operator()() const {
    check(cusparseSpMV(library_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a_.get(), p_, &zero, q_,
                       CUDA_R_64F, algorithm_, buffer_.get()),
          "cusparseSpMV");
  }

  cusparseSpMVAlg_t algorithm() const { return algorithm_; }
  const char* name() const {
    return algorithm_ == CUSPARSE_SPMV_CSR_ALG1   ? "CSR_ALG1"
           : algorithm_ == CUSPARSE_SPMV_CSR_ALG2 ? "CSR_ALG2"
                                                  : "ALG_DEFAULT";
  }

 private:
  static constexpr double one = 1, zero = 0;
  cusparseHandle_t library_ = nullptr;
  cusparseDnVecDescr_t p_ = nullptr, q_ = nullptr;
  cusparseSpMVAlg_t algorithm_ = CUSPARSE_SPMV_ALG_DEFAULT;
  device_array<char> buffer_;
  matrix_handle a_;
};

}  // namespace dwell::peers
