#!/usr/bin/env python3
"""run_documents.py PREFIX [LANGUAGE...]: runs the examples of README.md and docs/ against nonzero as it is installed in PREFIX;
all of them, or those of the languages that are named.

sh      in an empty folder with a few small inputs, nz on the path
cpp     all in one program, compiled with what pkg-config says; parts of programs find the names of PRELUDE
c       with SuiteSparse:GraphBLAS where its header is found
cuda    compiled where the CUDA toolkit is found, run where there is a GPU too
console commands that other steps of ./check run, or a machine that is prepared: ELSEWHERE has each
Python's are run by python/tests/test_documents.py."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from documents import blocks, prints

# How a command of a console block begins, and where it is run instead.
ELSEWHERE = {
    "./nz ": "installs packages and builds: every run of ./nz",
    "./check": "itself",
    "pip install .": "./check python, scripts/release.sh",
    "cmake --preset": "./check release",
    "cmake --install": "./check install",
    "cmake --build": "./check release",
    "ctest": "./check release",
    "scripts/release.sh": "by hand: minutes",
    "scripts/bench_record.py": "tests/build/test_bench_record.py",
    "nz bench bfs --backend cuda": "a machine with a GPU",
    "python -m nonzero.report": "python/tests/test_report.py",
    "nz bench matvec --report": "python/tests/test_report.py",
}

# Inputs by the names that the documents use.
INPUTS = {"graph.mtx": "rmat:8,8", "graph.el": "rmat:8,8", "roads.mtx": "grid2d:12,0.1", "cage10.mtx.gz": "laplace2d:20"}

PRELUDE = """
#include <nonzero/nonzero.hpp>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>
namespace {
const nz::context ctx;
const nz::matrix a = nz::load(ctx, "laplace2d:16").matrix;
const nz::vector u = nz::vector::full(ctx, a.rows(), 1.0), m(u);
nz::vector w(ctx, nz::dtype::float64, a.rows());
}
"""
SEPARATOR = "\x1e"

# What the CUDA examples, in their order, find: a matrix of five entries, squared, and y = 2 A x - y.
CUDA_NAMES = """
#include <cuda_runtime.h>
#include <cusparse.h>
#include <cstdint>
#include <cstdio>
const int rows = 3, cols = 3, nnz = 5;
int *offsets, *columns, *c_offsets, *c_columns;
double *values, *c_values, *x, *y;
cusparseHandle_t handle;
cusparseSpMatDescr_t A, B;
"""
NO_GPU = 77
CUDA_MAIN = """
template <class T, int N>
T* on_device(const T (&from)[N]) {
    T* to;
    cudaMalloc(&to, sizeof from);
    cudaMemcpy(to, from, sizeof from, cudaMemcpyHostToDevice);
    return to;
}
int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
    offsets = on_device<int>({0, 2, 3, 5}), columns = on_device<int>({0, 2, 1, 0, 2}), c_offsets = on_device<int>({0, 0, 0, 0});
    values = on_device<double>({2, 1, 3, 4, 5}), x = on_device<double>({1, 1, 1}), y = on_device<double>({1, 1, 1});
    part0();
    double found[3] = {};
    cudaMemcpy(found, y, sizeof found, cudaMemcpyDeviceToHost);
    cusparseCreate(&handle);
    for (auto* matrix : {&A, &B})
        cusparseCreateCsr(matrix, rows, cols, nnz, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    part1();
    int end[4] = {};
    double squared[5] = {};
    cudaMemcpy(end, c_offsets, sizeof end, cudaMemcpyDeviceToHost);
    cudaMemcpy(squared, c_values, sizeof squared, cudaMemcpyDeviceToHost);
    std::printf("y = %g %g %g, %d entries, the first %g, %s\\n", found[0], found[1], found[2], end[3], squared[0],
                cudaGetErrorString(cudaDeviceSynchronize()));
    return found[0] == 5 && found[1] == 5 && found[2] == 17 && end[3] == 5 && squared[0] == 8 ? 0 : 1;
}
"""

failures = []


def failed(block, why):
    failures.append(block.name)
    print(f"FAILED {block.name}: {why}\n{block.code}", file=sys.stderr)


def run(words, **options):
    return subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)


def judge(block, status, printed):
    if status != 0:
        failed(block, f"ended with {status}: {printed}")
    elif block.output is not None and not prints(block.output, printed):
        failed(block, f"should print\n{block.output}but printed\n{printed}")


def shell(prefix, folder):
    found = blocks("sh")
    path = f"{prefix}/bin:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    for name, source in INPUTS.items():
        run(["nz", "generate", source, "-o", name], cwd=folder, env=environment, check=True)
    (folder / "ids.txt").write_text("1\n2\n3\n")
    (folder / "nz").symlink_to(f"{prefix}/bin/nz")
    for block in found:
        done = run(["bash", "-eu", "-o", "pipefail", "-c", block.code], cwd=folder, env=environment)
        judge(block, done.returncode, done.stdout)
    return len(found)


def as_function(block, number):
    """A block as a function of one program: a whole program by its main, a part of one with the prelude's names."""
    includes = "\n".join(line for line in block.code.splitlines() if line.startswith("#include"))
    code = "\n".join("" if line.startswith("#include") else line for line in block.code.splitlines())
    place = f'#line {block.line} "{block.document}"\n'
    whole = re.search(r"^int main\(\) \{", code, re.MULTILINE)
    body = code.replace("int main() {", "void part() {") if whole else "void part() {\n" + place + code + "\n}"
    return f"{includes}\nnamespace block{number} {{\n{place}{body}\n}}\n"


def cpp(prefix, folder):
    found = blocks("cpp")
    calls = "".join(
        f'    std::cout << "{SEPARATOR}" << std::flush; block{k}::part();\n' for k in range(len(found))
    )
    source = folder / "documents.cpp"
    source.write_text(
        PRELUDE + "".join(as_function(b, k) for k, b in enumerate(found))
        + '#line 1 "documents.cpp"\nint main() {\n' + calls + "}\n"
    )
    folders = [str(p) for p in prefix.glob("lib*/**/pkgconfig")]
    environment = {**os.environ, "PKG_CONFIG_PATH": ":".join(folders)}
    flags = run(["pkg-config", "--cflags", "--libs", "nonzero"], env=environment, check=True).stdout.split()
    flags += [f"-Wl,-rpath,{pathlib.Path(f).parent}" for f in folders]  # where the library is shared
    compiler = os.environ.get("CXX", "c++")
    done = run([compiler, "-std=c++20", "-Wno-unused-variable", str(source), "-o", str(folder / "documents"), *flags])
    if done.returncode != 0:
        failures.append("cpp")
        print(f"FAILED: the C++ examples do not compile\n{done.stdout}", file=sys.stderr)
        return len(found)
    done = run([folder / "documents"], cwd=folder)
    parts = done.stdout.split(SEPARATOR)[1:]
    for k, block in enumerate(found):
        ended = k < len(parts) - 1 or (k < len(parts) and done.returncode == 0)
        judge(block, 0 if ended else done.returncode or 1, parts[k] if k < len(parts) else "nothing: an earlier one ended it")
    return len(found)


def graphblas(_, folder):
    found = blocks("c")
    for k, block in enumerate(found):
        source = folder / f"graphblas{k}.c"
        source.write_text("#include <GraphBLAS.h>\n#include <stdio.h>\nint main(void) {\nGrB_init(GrB_NONBLOCKING);\n"
                          f'#line {block.line} "{block.document}"\n{block.code}return GrB_finalize();\n}}\n')
        done = run(["cc", "-I/usr/include/suitesparse", str(source), "-lgraphblas", "-o", str(folder / "graphblas")])
        if done.returncode == 0:
            done = run([folder / "graphblas"])
        judge(block, done.returncode, done.stdout)
    return len(found)


def has_graphblas():
    return run(["cc", "-I/usr/include/suitesparse", "-fsyntax-only", "-xc", "-"], input="#include <GraphBLAS.h>\n").returncode == 0


def cuda(_, folder):
    found = blocks("cuda")
    code = "".join(f'void part{k}() {{\n#line {b.line} "{b.document}"\n{b.code}}}\n' for k, b in enumerate(found))
    source = folder / "documents.cu"
    source.write_text(CUDA_NAMES + code + '#line 1 "documents.cu"\n' + CUDA_MAIN)
    done = run([nvcc(), "-std=c++17", str(source), "-lcusparse", "-o", str(folder / "cuda")])
    if done.returncode == 0:
        done = run([folder / "cuda"])
    if done.returncode not in (0, NO_GPU):
        failures.append("cuda")
        print(f"FAILED: the CUDA examples: {done.returncode}\n{done.stdout}", file=sys.stderr)
    return f"{len(found)} (compiled: no GPU here)" if done.returncode == NO_GPU else len(found)


def nvcc():
    return shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


def console(*_):
    found = blocks("console")
    for block in found:
        for line in block.code.splitlines():
            command = line.removeprefix("$ ")
            if line.startswith("$ ") and not any(command.startswith(known) for known in ELSEWHERE):
                failed(block, f"nothing runs '{command}': make it a block in sh, or add where it is run")
    return len(found)


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    prefix, wanted = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    runs = {"console": (True, console), "sh": (True, shell), "cpp": (True, cpp), "c": (has_graphblas(), graphblas),
            "cuda": (nvcc() is not None, cuda)}
    counts = {}
    for language, (there, examples) in runs.items():
        if not wanted or language in wanted:
            with tempfile.TemporaryDirectory() as folder:
                counts[language] = examples(prefix, pathlib.Path(folder)) if there else "not here"
    print("documents: " + ", ".join(f"{language} {n}" for language, n in counts.items()))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
