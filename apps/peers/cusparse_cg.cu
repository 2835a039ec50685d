// SPDX-License-Identifier: MIT
// One iteration of CG is: SpMV, dot, divide, axpy, axpy, dot, divide, scal, axpy; of Bi-CGSTAB two
// SpMV, five dots and six axpys. The same calls are made directly on the stream, or recorded once
// and replayed.
#include <array>
#include <chrono>
#include <cmath>
#include <map>

#include "cuda_handles.hpp"
#include "cusparse_cg.hpp"
#include "cusparse_product.hpp"

namespace dwell::peers {
namespace {

/// The scalars of an iteration, on the device.
struct scalars {
  double one, rr, rr_new, pq, alpha, minus_alpha, beta;
};

// Zero over zero, once r is exactly zero, would fill x with NaN: a fixed number of iterations then
// goes on without effect.
__global__ void divide_step(scalars* s) {
  s->alpha = s->pq != 0 ? s->rr / s->pq : 0;
  s->minus_alpha = -s->alpha;
}
__global__ void divide_direction(scalars* s) {
  s->beta = s->rr != 0 ? s->rr_new / s->rr : 0;
  s->rr = s->rr_new;
}

/// Scalars of Bi-CGSTAB. The last ones are what the calls multiply by.
struct stabilised_scalars {
  double rho, rho_old, wu, ts, tt, alpha, omega, beta, minus_alpha, minus_omega;
};
__global__ void divide_first(stabilised_scalars* s) {
  const double ratio = s->rho_old * s->omega;
  s->beta = ratio != 0 ? s->rho * s->alpha / ratio : 0;
  s->rho_old = s->rho;
}
__global__ void divide_half(stabilised_scalars* s) {
  s->alpha = s->wu != 0 ? s->rho / s->wu : 0;
  s->minus_alpha = -s->alpha;
}
__global__ void divide_second(stabilised_scalars* s) {
  s->omega = s->tt != 0 ? s->ts / s->tt : 0;
  s->minus_omega = -s->omega;
}

/// What NVIDIA recommends for Hopper; a workspace of our own keeps allocations out of graphs.
constexpr std::size_t cublas_workspace_bytes = std::size_t{32} << 20;

}  // namespace

std::string to_string(cusparse_cg::mode m) {
  return m == cusparse_cg::mode::stream ? "stream" : "graph";
}

struct cusparse_cg::state {
  state(const csr_view<double>& a, std::span<const double> rhs, const options& o)
      : chosen(o), n(a.rows) {
    check(cudaSetDevice(o.device), "cudaSetDevice");
    const auto rows = static_cast<std::size_t>(a.rows);
    const auto nonzeros = static_cast<std::size_t>(a.nonzeros());
    row_ptr = device_array<index>(std::span(a.row_ptr, rows + 1));
    col = device_array<index>(std::span(a.col, nonzeros));
    val = device_array<double>(std::span(a.val, nonzeros));
    b = device_array<double>(rhs);
    for (device_array<double>* v : {&x, &r, &p, &q}) *v = device_array<double>(rows);
    s = device_array<scalars>(1);
    workspace = device_array<char>(cublas_workspace_bytes);

    check(cudaStreamCreateWithFlags(stream.out(), cudaStreamNonBlocking), "cudaStreamCreate");
    check(cudaEventCreate(begin.out()), "cudaEventCreate");
    check(cudaEventCreate(end.out()), "cudaEventCreate");
    check(cusparseCreate(sparse.out()), "cusparseCreate");
    check(cusparseSetStream(sparse.get(), stream.get()), "cusparseSetStream");
    check(cublasCreate(blas.out()), "cublasCreate");
    check(cublasSetStream(blas.get(), stream.get()), "cublasSetStream");
    check(cublasSetWorkspace(blas.get(), workspace.get(), cublas_workspace_bytes),
          "cublasSetWorkspace");
    check(cublasSetPointerMode(blas.get(), CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
    check(cusparseCreateDnVec(p_vector.out(), n, p.get(), CUDA_R_64F), "cusparseCreateDnVec");
    check(cusparseCreateDnVec(q_vector.out(), n, q.get(), CUDA_R_64F), "cusparseCreateDnVec");

    nnz = a.nonzeros();
    if (o.solver == method::bicgstab) {
      for (device_array<double>* v : {&w, &t}) *v = device_array<double>(rows);
      z = device_array<stabilised_scalars>(1);
      check(cusparseCreateDnVec(r_vector.out(), n, r.get(), CUDA_R_64F), "cusparseCreateDnVec");
      check(cusparseCreateDnVec(t_vector.out(), n, t.get(), CUDA_R_64F), "cusparseCreateDnVec");
    }
    start();
    spmv = choose(o.spmv);
    if (o.solver == method::bicgstab)
      second = {sparse.get(),
                {n, nnz, row_ptr.get(), col.get(), val.get()},
                r_vector.get(),
                t_vector.get(),
                spmv.algorithm()};
    start();
    check(cudaStreamSynchronize(stream.get()), "first vectors");
    check(cudaMemcpy(&b_norm, &s.get()->rr, sizeof b_norm, cudaMemcpyDeviceToHost), "cudaMemcpy");
    b_norm = std::sqrt(b_norm);
  }

  cusparse_product prepare(cusparseSpMVAlg_t a) {
    return {sparse.get(),
            {n, nnz, row_ptr.get(), col.get(), val.get()},
            p_vector.get(),
            q_vector.get(),
            a};
  }

  cusparse_product choose(algorithm asked) {
    if (asked == algorithm::plain) return prepare(CUSPARSE_SPMV_ALG_DEFAULT);
    if (asked == algorithm::alg1) return prepare(CUSPARSE_SPMV_CSR_ALG1);
    if (asked == algorithm::alg2) return prepare(CUSPARSE_SPMV_CSR_ALG2);
    cusparse_product best;
    double least = INFINITY;
    for (const auto a :
         {CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}) {
      cusparse_product product = prepare(a);
      for (int warm = 0; warm < 10; ++warm) product();
      const double seconds = timed([&] {
        for (int i = 0; i < 100; ++i) product();
      });
      if (seconds < least) {
        least = seconds;
        best = std::move(product);
      }
    }
    return best;
  }

  template <class F>
  double timed(F&& f) {
    check(cudaStreamSynchronize(stream.get()), "before timing");
    check(cudaEventRecord(begin.get(), stream.get()), "cudaEventRecord");
    f();
    check(cudaEventRecord(end.get(), stream.get()), "cudaEventRecord");
    check(cudaEventSynchronize(end.get()), "iterations");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin.get(), end.get()), "cudaEventElapsedTime");
    return 1e-3 * ms;
  }

  /// x = 0, r = p = b, rr = r.r; asynchronous.
  void start() {
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(double);
    const scalars fresh{1, 0, 0, 0, 0, 0, 0};
    check(cudaMemcpyAsync(s.get(), &fresh, sizeof fresh, cudaMemcpyHostToDevice, stream.get()),
          "start");
    check(cudaMemsetAsync(x.get(), 0, bytes, stream.get()), "start");
    for (const auto* v : {&r, &p})
      check(cudaMemcpyAsync(v->get(), b.get(), bytes, cudaMemcpyDeviceToDevice, stream.get()),
            "start");
    check(cublasDdot(blas.get(), n, r.get(), 1, r.get(), 1, &s.get()->rr), "cublasDdot");
    if (chosen.solver != method::bicgstab) return;
    const stabilised_scalars first{0, 1, 0, 0, 0, 1, 1, 0, -1, -1};
    check(cudaMemcpyAsync(z.get(), &first, sizeof first, cudaMemcpyHostToDevice, stream.get()),
          "start");
    check(cudaMemcpyAsync(w.get(), b.get(), bytes, cudaMemcpyDeviceToDevice, stream.get()),
          "start");
    for (const auto* v : {&p, &q})
      check(cudaMemsetAsync(v->get(), 0, bytes, stream.get()), "start");
  }

  void iteration() {
    if (chosen.solver == method::bicgstab) return stabilised_iteration();
    scalars* d = s.get();
    spmv();
    check(cublasDdot(blas.get(), n, p.get(), 1, q.get(), 1, &d->pq), "cublasDdot");
    divide_step<<<1, 1, 0, stream.get()>>>(d);
    check(cublasDaxpy(blas.get(), n, &d->alpha, p.get(), 1, x.get(), 1), "cublasDaxpy");
    check(cublasDaxpy(blas.get(), n, &d->minus_alpha, q.get(), 1, r.get(), 1), "cublasDaxpy");
    check(cublasDdot(blas.get(), n, r.get(), 1, r.get(), 1, &d->rr_new), "cublasDdot");
    divide_direction<<<1, 1, 0, stream.get()>>>(d);
    if (chosen.update == direction::geam) {
      check(cublasDgeam(blas.get(), CUBLAS_OP_N, CUBLAS_OP_N, n, 1, &d->one, r.get(), n, &d->beta,
                        p.get(), n, p.get(), n),
            "cublasDgeam");
    } else {
      check(cublasDscal(blas.get(), n, &d->beta, p.get(), 1), "cublasDscal");
      check(cublasDaxpy(blas.get(), n, &d->one, r.get(), 1, p.get(), 1), "cublasDaxpy");
    }
    check(cudaGetLastError(), "kernel launch");
  }

  /// u is in q, s in r.
  void stabilised_iteration() {
    scalars* d = s.get();
    stabilised_scalars* e = z.get();
    const auto dot = [&](const auto& x1, const auto& x2, double* to) {
      check(cublasDdot(blas.get(), n, x1.get(), 1, x2.get(), 1, to), "cublasDdot");
    };
    const auto axpy = [&](const double* by, const auto& from, const auto& to) {
      check(cublasDaxpy(blas.get(), n, by, from.get(), 1, to.get(), 1), "cublasDaxpy");
    };
    dot(w, r, &e->rho);
    divide_first<<<1, 1, 0, stream.get()>>>(e);
    axpy(&e->minus_omega, q, p);
    check(cublasDscal(blas.get(), n, &e->beta, p.get(), 1), "cublasDscal");
    axpy(&d->one, r, p);
    spmv();
    dot(w, q, &e->wu);
    divide_half<<<1, 1, 0, stream.get()>>>(e);
    axpy(&e->minus_alpha, q, r);
    second();
    dot(t, r, &e->ts);
    dot(t, t, &e->tt);
    divide_second<<<1, 1, 0, stream.get()>>>(e);
    axpy(&e->alpha, p, x);
    axpy(&e->omega, r, x);
    axpy(&e->minus_omega, t, r);
    dot(r, r, &d->rr);
    check(cudaGetLastError(), "kernel launch");
  }

  /// A graph of that many iterations, recorded at the first call.
  cudaGraphExec_t graph_of(int iterations) {
    graph_exec_handle& g = graphs[iterations];
    if (g.get()) return g.get();
    graph_handle recorded;
    check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
    for (int i = 0; i < iterations; ++i) iteration();
    check(cudaStreamEndCapture(stream.get(), recorded.out()), "cudaStreamEndCapture");
    check(cudaGraphInstantiate(g.out(), recorded.get(), 0), "cudaGraphInstantiate");
    check(cudaGraphUpload(g.get(), stream.get()), "cudaGraphUpload");
    return g.get();
  }

  /// Records what enqueue() will launch, so that it does not while the clock runs.
  void record(mode how, int iterations) {
    if (how != mode::graph) return;
    if (iterations >= chosen.graph_iterations) graph_of(chosen.graph_iterations);
    if (iterations % chosen.graph_iterations) graph_of(iterations % chosen.graph_iterations);
  }

  void enqueue(mode how, int iterations) {
    if (how == mode::stream) {
      for (int i = 0; i < iterations; ++i) iteration();
      return;
    }
    const int each = chosen.graph_iterations;
    for (int i = 0; i < iterations / each; ++i)
      check(cudaGraphLaunch(graph_of(each), stream.get()), "cudaGraphLaunch");
    if (iterations % each)
      check(cudaGraphLaunch(graph_of(iterations % each), stream.get()), "cudaGraphLaunch");
  }

  double residual() {
    double now = 0;
    check(cudaMemcpyAsync(&now, &s.get()->rr, sizeof now, cudaMemcpyDeviceToHost, stream.get()),
          "residual");
    check(cudaStreamSynchronize(stream.get()), "residual");
    return std::sqrt(now);
  }

  options chosen;
  int n, nnz = 0;
  double b_norm = 0;
  device_array<index> row_ptr, col;
  device_array<double> val, b, x, r, p, q, w, t;
  device_array<stabilised_scalars> z;
  device_array<scalars> s;
  device_array<char> workspace;
  stream_handle stream;
  event_handle begin, end;
  cusparse_handle sparse;
  cublas_handle blas;
  vector_handle p_vector, q_vector, r_vector, t_vector;
  cusparse_product spmv, second;
  std::map<int, graph_exec_handle> graphs;
};

cusparse_cg::cusparse_cg(const csr_view<double>& a, std::span<const double> b, const options& o) {
  if (a.rows != a.cols || b.size() != static_cast<std::size_t>(a.rows) || a.rows < 1)
    throw input_error(
        "cuSPARSE CG: expected a square matrix and a right-hand side of its size, found " +
        std::to_string(a.rows) + " x " + std::to_string(a.cols) + " and " +
        std::to_string(b.size()));
  if (o.graph_iterations < 1)
    throw input_error("cuSPARSE CG: iterations per graph must be at least 1, found " +
                      std::to_string(o.graph_iterations));
  s_ = std::make_unique<state>(a, b, o);
}
cusparse_cg::~cusparse_cg() = default;

double cusparse_cg::run(mode how, int iterations) {
  s_->record(how, iterations);
  s_->start();
  return s_->timed([&] { s_->enqueue(how, iterations); });
}

cusparse_cg::outcome cusparse_cg::solve(mode how, double rtol, int max_iterations,
                                        int check_every) {
  if (check_every < 1)
    throw input_error("cuSPARSE CG: iterations between two checks must be at least 1");
  s_->record(how, check_every);
  s_->record(how, max_iterations % check_every);
  s_->start();
  const double target = rtol * s_->b_norm;
  const auto began = std::chrono::steady_clock::now();
  outcome o;
  o.converged = s_->residual() <= target;
  while (!o.converged && o.iterations < max_iterations) {
    const int some = std::min(check_every, max_iterations - o.iterations);
    s_->enqueue(how, some);
    o.iterations += some;
    o.converged = s_->residual() <= target;
  }
  o.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return o;
}

std::vector<double> cusparse_cg::x() const {
  std::vector<double> out(static_cast<std::size_t>(s_->n));
  check(cudaStreamSynchronize(s_->stream.get()), "x");
  check(cudaMemcpy(out.data(), s_->x.get(), out.size() * sizeof(double), cudaMemcpyDeviceToHost),
        "x");
  return out;
}

double cusparse_cg::recursive_residual() const {
  return s_->b_norm > 0 ? s_->residual() / s_->b_norm : s_->residual();
}

std::string cusparse_cg::spmv_algorithm() const { return s_->spmv.name(); }

std::string cusparse_cg::device_name() const {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, s_->chosen.device), "cudaGetDeviceProperties");
  return properties.name;
}

}  // namespace dwell::peers
