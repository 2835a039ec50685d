# SPDX-License-Identifier: MIT
# Correlations of one image of f32 with one filter on a GPU, beside each other: Dwell (the command), NPP
# (nppiFilterBorder_32f_C1R_Ctx, border replicate), cuDNN (PyTorch's conv2d, its fastest algorithm, no TF32, border zero)
# and cuFFT (cupyx.scipy.signal.fftconvolve, border zero). Needs PyTorch; NPP and CuPy where they are there. Every peer's
# outcome is compared with cuDNN's away from the border, and NPP's with Dwell's, of the smallest image, everywhere.
import ctypes
import json
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from . import convolution_figures as figures

ROW_SECONDS = 0.01  # calls in a row are as many as take so long one by one
BOUND = 1e-4  # part of the sum of the weights' magnitudes, which no value of the images exceeds


def note(text):
    print(f"convolution-peers.py: {text}", file=sys.stderr, flush=True)


# --- NPP ------------------------------------------------------------------------------------------------------------


class Size(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int)]


class StreamContext(ctypes.Structure):
    """NppStreamContext of nppdefs.h, with the stream 0 that PyTorch uses, too."""
    _fields_ = [("stream", ctypes.c_void_p), ("device", ctypes.c_int), ("multiprocessors", ctypes.c_int),
                ("threads_per_multiprocessor", ctypes.c_int), ("threads_per_block", ctypes.c_int),
                ("shared_per_block", ctypes.c_size_t), ("major", ctypes.c_int), ("minor", ctypes.c_int),
                ("stream_flags", ctypes.c_uint), ("reserved", ctypes.c_int)]


def npp_folders(asked):
    """Where libnppif.so and libnppc.so may lie: where asked, in wheels of NVIDIA, in the toolkit; "": where the loader looks."""
    if asked:
        return [Path(asked)]
    wheels = sorted(Path(sysconfig.get_paths()["purelib"]).glob("nvidia/*/lib"))
    return [*wheels, Path("/usr/local/cuda/lib64"), Path("")]


def load_npp(asked):
    """The library, or None, with a line that says why."""
    tried = []
    for folder in npp_folders(asked):
        for version in (".13", ".12", ""):
            names = [f"libnppc.so{version}", f"libnppif.so{version}"]
            if folder != Path("") and not all((folder / n).exists() for n in names):
                continue
            try:
                for name in names:  # nppif needs nppc, which is then there
                    library = ctypes.CDLL(str(folder / name) if folder != Path("") else name, mode=ctypes.RTLD_GLOBAL)
                library.nppiFilterBorder_32f_C1R_Ctx.restype = ctypes.c_int
                note(f"NPP: {folder / names[1]}")
                return library
            except (OSError, AttributeError) as e:
                tried.append(str(e))
    note("NPP: not found (package nvidia-npp, or --npp FOLDER with libnppc and libnppif); its columns are empty"
         + "".join(f"; {t}" for t in tried if "cannot open shared object file: No such file" not in t))
    return None


NPP_REPLICATE = 2


class Npp:
    """dst = image correlated with the weights. Which way round NPP takes a filter is found by trying."""

    def __init__(self, library):
        self.call = library.nppiFilterBorder_32f_C1R_Ctx
        p = torch.cuda.get_device_properties(0)
        self.context = StreamContext(
            None, 0, p.multi_processor_count, p.max_threads_per_multi_processor, 1024,
            getattr(p, "shared_memory_per_block", 48 << 10), p.major, p.minor, 0, 0)

    def runs(self, image, out, weights):
        """A function for each way round."""
        n_y, n_x = image.shape
        k = weights.shape[0]
        for turned in (True, False):
            w = torch.flip(weights, (0, 1)).contiguous() if turned else weights
            for anchor in dict.fromkeys((k // 2, k - 1 - k // 2)):
                def run(w=w, anchor=anchor):
                    status = self.call(
                        ctypes.c_void_p(image.data_ptr()), ctypes.c_int(4 * n_x), Size(n_x, n_y), Point(0, 0),
                        ctypes.c_void_p(out.data_ptr()), ctypes.c_int(4 * n_x), Size(n_x, n_y),
                        ctypes.c_void_p(w.data_ptr()), Size(k, k), Point(anchor, anchor), ctypes.c_int(NPP_REPLICATE),
                        self.context)
                    if status != 0:
                        raise RuntimeError(f"nppiFilterBorder_32f_C1R_Ctx: status {status}")
                yield run


# --- measuring ------------------------------------------------------------------------------------------------------


def times_of(run, repetitions):
    """Medians of calls that are waited for, and of calls in a row; microseconds per call."""
    def timed(count):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(count):
            run()
        torch.cuda.synchronize()
        return (time.perf_counter() - begin) / count * 1e6

    timed(1)
    call, row = [], []
    for _ in range(repetitions):
        call.append(timed(1))
        count = max(1, round(ROW_SECONDS * 1e6 / call[-1]))
        row.append(timed(count) if count > 1 else call[-1])
    return {"call": float(np.median(call)), "in_a_row": float(np.median(row))}


def inner(t, k):
    return t[k:t.shape[0] - k, k:t.shape[1] - k]


def differs(found, expected, weights):
    """By what part of the sum of the weights' magnitudes; 0: by no more than rounding explains."""
    d = float((found - expected).abs().max() / weights.abs().sum())
    return d if not d <= BOUND else 0


def measure_peers(npp, cupy_convolve, images, filters, options, dwells):
    """{(size, taps): {peer: times}}, and what went wrong. dwells: {taps: Dwell's outcome of the first image}."""
    found, wrong = {}, []
    end = time.monotonic() + options.limit
    for size, host in images.items():
        image = torch.from_numpy(host).cuda()
        out = torch.empty_like(image)
        copied = times_of(lambda: out.copy_(image), options.repetitions)
        for taps, weights in filters.items():
            if time.monotonic() > end:
                note(f"{size}, {taps} x {taps} and what follows: no peers, the time (--limit) is over")
                return found, wrong
            entry = found.setdefault((size, taps), {"copy": copied})
            w = torch.from_numpy(weights).cuda()
            call = f"{size}, {taps} x {taps}"
            expected = None

            def cudnn():
                return torch.nn.functional.conv2d(image[None, None], w[None, None], padding=taps // 2)[0, 0]

            try:
                expected = cudnn()[:image.shape[0], :image.shape[1]].clone()
                entry["cuDNN"] = times_of(cudnn, options.repetitions)
            except RuntimeError as e:  # too little memory among them
                note(f"cuDNN, {call}: {str(e).splitlines()[0]}")
                torch.cuda.empty_cache()
            if npp:
                measure_npp(npp, (image, out, w), expected, entry, wrong, call, options,
                            dwells.get(taps) if size == next(iter(images)) else None)
            if cupy_convolve:
                run = cupy_convolve(image, w)
                try:
                    if expected is not None:
                        d = differs(inner(run(), taps), inner(expected, taps), w)
                        if d:
                            wrong.append(f"cuFFT, {call}: differs from cuDNN by {d:.2g}")
                            continue
                    entry["cuFFT"] = times_of(run, options.repetitions)
                except Exception as e:  # CuPy's own kinds, of memory and of plans
                    note(f"cuFFT, {call}: {str(e).splitlines()[0]}")
    return found, wrong


def measure_npp(npp, tensors, expected, entry, wrong, call, options, dwells):
    image, out, w = tensors
    k = w.shape[0]
    try:
        right = None
        for run in npp.runs(image, out, w):
            run()
            if expected is None or not differs(inner(out, k), inner(expected, k), w):
                right = run
                break
        if not right:
            wrong.append(f"NPP, {call}: no way round has cuDNN's values")
            return
        if dwells is not None:
            d = differs(out, torch.from_numpy(dwells).cuda(), w)
            if d:
                wrong.append(f"NPP, {call}: differs from dwell by {d:.2g}")
        entry["NPP"] = times_of(right, options.repetitions)
    except RuntimeError as e:
        note(f"NPP, {call}: {e}")


def cupy_convolution():
    """A function that makes a call of cuFFT's for an image and weights; None, with a line, without CuPy."""
    try:
        import cupy
        from cupyx.scipy.signal import fftconvolve
    except ImportError as e:
        note(f"cuFFT: no CuPy here ({e}); its columns are empty")
        return None

    def made(image, w):
        u, turned = cupy.from_dlpack(image), cupy.from_dlpack(torch.flip(w, (0, 1)).contiguous())
        return lambda: torch.from_dlpack(fftconvolve(u, turned, mode="same"))
    return made


# --- Dwell, and all of it -------------------------------------------------------------------------------------------


def dwell(options, *args):
    command = [options.dwell, *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(f"{' '.join(command)}: status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def run_dwell(options, sizes, files):
    document = json.loads(dwell(
        options, "compare", "convolve", "--size", ",".join(f"{n}x{n}" for n in sizes),
        "--filter", ",".join(map(str, files.values())), "--algorithms", "auto,systolic,window,shared", "--border", "replicate",
        "--correlate", "--repetitions", options.repetitions, "--device", "cuda", "--format", "json"))
    return document["device"]["name"], figures.of_dwell(document)


def main(options):
    """Exit code: 1 if something failed or has other values."""
    if not torch.cuda.is_available():
        note("--device cuda: PyTorch finds no GPU")
        return 1
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    sizes, taps = options.sizes, options.taps
    random = np.random.default_rng(1)
    filters = {k: random.uniform(-1, 1, (k, k)).astype(np.float32) for k in taps}
    images = {f"{n}x{n}": random.uniform(-1, 1, (n, n)).astype(np.float32) for n in sizes}
    library = load_npp(options.npp)
    versions = f"PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}"
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        files = {k: Path(folder) / figures.filter_name(k) for k in taps}
        for k in taps:
            np.save(files[k], filters[k])
        image_file, out_file = Path(folder) / "image.npy", Path(folder) / "out.npy"
        np.save(image_file, images[f"{sizes[0]}x{sizes[0]}"])
        dwells = {}
        try:
            for k in taps if library else ():
                dwell(options, "convolve", image_file, "--filter", files[k], "--border", "replicate", "--correlate",
                      "--device", "cuda", "-o", out_file, "--quiet")
                dwells[k] = np.load(out_file)
            device, own = run_dwell(options, sizes, files)
        except (OSError, ValueError) as e:
            note(str(e))
            return 1
        peers, wrong = measure_peers(library and Npp(library), cupy_convolution(), images, filters,
                                     options, dwells)
    rows = figures.rows_of(own, peers)
    print(f"{device}, {versions}, f32, border replicate (cuDNN, cuFFT: zero), medians of {options.repetitions}, us per call")
    for kind, words in zip(figures.KINDS, ("Calls in a row, waited for at the end", "Calls that are waited for")):
        print(f"\n{words}:\n\n{figures.markdown_of(rows, kind)}")
    if options.json:
        summary = {kind: figures.summary_of(rows, kind) for kind in figures.KINDS}
        Path(options.json).write_text(json.dumps({"device": device, "versions": versions, "rows": rows, "summary": summary,
                                                  "wrong": wrong}, indent=1) + "\n", encoding="utf-8")
    for line in wrong:
        note(line)
    return 1 if wrong else 0
