"""Each rule of scripts/check_dependencies.py can fail, and does not fail on its neighbours."""

import unittest

from fake_tree import FakeTreeTest
import check_dependencies


class CheckDependencies(FakeTreeTest):
    def breaches(self, path, text):
        self.write(path, text)
        return check_dependencies.check_tree(self.root)

    def refused(self, path, text, reason):
        found = self.breaches(path, text)
        self.assertEqual(len(found), 1, found)
        self.assertIn(reason, found[0])
        self.assertTrue(found[0].startswith(path + ":"), found[0])

    def accepted(self, path, text):
        self.assertEqual(self.breaches(path, text), [])

    def test_arrows_point_down(self):
        self.accepted("src/ops/mxv.cpp", '#include "kernels/cpu/mxv/csr_row.hpp"\n#include "plan/mxv.hpp"\n')
        self.accepted("src/kernels/cpu/mxv/csr_row.cpp", '#include "plan/mxv.hpp"\n#include "core/buffer.hpp"\n')
        self.accepted("src/instantiate/mxv.cpp", '#include "kernels/cuda/mxv/csr_row.cuh"\n')
        self.accepted("cli/bfs.cpp", '#include "nonzero/algorithms.hpp"\n#include "io/reader.hpp"\n')

    def test_an_arrow_up_is_refused(self):
        self.refused("src/core/buffer.cpp", '#include "algebra/types.hpp"\n', "arrows point down")

    def test_every_room_refuses_the_room_above(self):
        order = ["core", "algebra", "storage", "plan", "kernels/cpu", "instantiate", "ops", "algorithms", "cli"]
        for lower, upper in zip(order, order[1:]):
            why = check_dependencies.include_breach(None, lower, f"{upper}/x.hpp", upper)
            self.assertIsNotNone(why, f"{lower} includes {upper}")

    def test_io_and_plan_are_side_by_side(self):
        self.refused("src/io/mtx.cpp", '#include "plan/mxv.hpp"\n', "io (level 3) must not include plan")

    def test_io_does_not_include_kernels(self):
        self.refused("src/io/mtx.cpp", '#include "kernels/cpu/build/sort.hpp"\n', "must not include kernels/cpu")

    def test_kernels_do_not_include_io(self):
        self.refused("src/kernels/cpu/mxv/csr_row.cpp", '#include "io/mtx.hpp"\n', "must not include io")

    def test_backends_do_not_include_each_other(self):
        for one in sorted(check_dependencies.BACKENDS):
            for other in sorted(check_dependencies.BACKENDS - {one}):
                why = check_dependencies.include_breach(None, one, f"{other}/mxv/x.hpp", other)
                self.assertIn("each other", why)
        self.refused("src/kernels/cuda/mxv/a.cuh", '#pragma once\n#include "kernels/cpu/mxv/a.hpp"\n', "each other")

    def test_a_relative_path_is_no_way_around(self):
        self.write("src/kernels/reference/mxv.hpp", "#pragma once\n")
        self.refused("src/kernels/cpu/mxv/a.cpp", '#include "../../reference/mxv.hpp"\n', "each other")

    def test_the_common_ground_of_the_backends_includes_none(self):
        self.accepted("src/kernels/cpu/mxv/a.cpp", '#include "kernels/entry.hpp"\n')
        self.refused("src/kernels/entry.hpp", '#pragma once\n#include "kernels/cpu/mxv/a.hpp"\n', "arrows point down")

    def test_plan_reads_the_list_of_kernels_and_nothing_else_of_them(self):
        self.accepted("src/plan/mxv.cpp", '#include "kernels/kernel_ids.hpp"\n')
        self.refused("src/plan/mxm.cpp", '#include "kernels/entry.hpp"\n', "arrows point down")

    def test_algorithms_name_no_kernel(self):
        self.refused("src/algorithms/bfs.cpp", '#include "kernels/cpu/mxv/a.hpp"\n', "go through ops")

    def test_the_library_does_not_include_tests(self):
        self.refused("src/ops/mxv.cpp", '#include "tests/support/random.hpp"\n', "must not include tests")

    def test_public_headers_are_plain(self):
        self.accepted("include/nonzero/a.hpp", "#pragma once\n#include <vector>\n#include <nonzero/b.hpp>\n")
        for bad in ("<omp.h>", "<cuda_runtime.h>", "<fmt/format.h>", '"core/buffer.hpp"', "<unistd.h>"):
            self.refused("include/nonzero/a.hpp", f"#pragma once\n#include {bad}\n", "a public header")

    def test_cuda_headers_stay_where_they_belong(self):
        self.accepted("src/core/device.cpp", "#include <cuda_runtime.h>\n")
        self.accepted("src/kernels/cuda/mxv/a.cu", "#include <cub/block/block_scan.cuh>\n")
        for header in ("cuda_runtime.h", "cuda/std/span", "cub/cub.cuh", "thrust/sort.h", "cooperative_groups.h"):
            self.refused("src/ops/mxv.cpp", f"#include <{header}>\n", "CUDA headers")

    def test_long_files_are_refused(self):
        self.accepted("src/core/a.cpp", "int x;\n" * 600)
        self.refused("src/core/a.cpp", "int x;\n" * 601, "601 lines")

    def test_a_header_has_a_guard(self):
        self.refused("src/core/a.hpp", "int f();\n", "#pragma once")

    def test_printing_is_refused(self):
        for bad in ('printf("x");', 'std::printf("x");', 'puts("x");', "std::cout << 1;", "std::cerr << 1;",
                    'std::fprintf(stderr, "x");', 'fmt::print("x");'):
            self.refused("src/ops/a.cpp", f"void f() {{ {bad} }}\n", "printing")

    def test_what_only_looks_like_printing_passes(self):
        self.accepted("src/ops/a.cpp", '// printf("x")\n/* std::cout\n */ auto s = "std::cerr";\n')
        self.accepted("src/ops/a.cpp", "int n = std::snprintf(b, 8, f); std::fprintf(file, f); auto k = 1'000;\n")
        self.accepted("cli/a.cpp", 'int main() { std::cout << "x"; }\n')

    def test_a_digit_separator_hides_nothing(self):
        self.refused("src/ops/a.cpp", "int k = 1'000; void f() { std::cout << 'x'; }\n", "printing")

    def test_conditional_compilation_is_refused_outside_core(self):
        self.accepted("src/core/a.cpp", "#ifdef NONZERO_HAVE_CUDA\n#endif\n")
        for bad in ("#ifdef X", "#ifndef X", "#if defined(__AVX2__)", "# if X"):
            self.refused("src/ops/a.cpp", f"{bad}\n#endif\n", "conditional compilation")

    def test_an_unknown_folder_is_refused(self):
        self.refused("src/misc/a.cpp", "\n", "no folder of the house")

    def test_the_line_is_named(self):
        found = self.breaches("src/core/a.cpp", '/* two\nlines */\n#include "ops/x.hpp"\n')
        self.assertIn("src/core/a.cpp:3:", found[0])


if __name__ == "__main__":
    unittest.main()
