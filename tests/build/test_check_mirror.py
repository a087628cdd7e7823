"""Each rule of scripts/check_mirror.py can fail, and does not fail on its neighbours."""

import unittest

from fake_tree import FakeTreeTest
import check_mirror

ROW = '    {"mxv", "csr_row", presence::here, "", presence::absent, "needs the CUDA backend"},\n'
BOTH = '    {"mxv", "csr_row", presence::here, "", presence::here, ""},\n'


class CheckMirror(FakeTreeTest):
    def breaches(self, rows, *files):
        if rows is not None:
            text = f"#pragma once\nconstexpr kernel_row kernel_rows[] = {{\n{rows}}};\n"
            self.write("src/kernels/kernel_ids.hpp", text)
        for file in files:
            self.write("src/kernels/" + file)
        return check_mirror.check_tree(self.root)

    def refused(self, reason, rows, *files):
        found = self.breaches(rows, *files)
        self.assertEqual(len(found), 1, found)
        self.assertIn(reason, found[0])

    def test_a_tree_in_order_passes(self):
        self.assertEqual(self.breaches(ROW, "cpu/mxv/csr_row.cpp"), [])
        self.assertEqual(self.breaches(BOTH, "cpu/mxv/csr_row.hpp", "cuda/mxv/csr_row.cuh", "cuda/mxv/csr_row.cu"), [])

    def test_no_list_yet_passes(self):
        self.assertEqual(self.breaches(None, "cpu/mxv/csr_row.cpp"), [])

    def test_a_row_without_its_file(self):
        self.refused("there is no src/kernels/cpu/mxv/csr_row", ROW)

    def test_a_mirror_image_missing_on_the_other_side(self):
        self.refused("there is no src/kernels/cuda/mxv/csr_row", BOTH, "cpu/mxv/csr_row.cpp")

    def test_a_file_without_a_row(self):
        self.refused("cuda/mxv/csr_merge.*: no row", ROW, "cpu/mxv/csr_row.cpp", "cuda/mxv/csr_merge.cu")

    def test_a_file_that_should_be_absent(self):
        self.refused("listed as absent for cuda", ROW, "cpu/mxv/csr_row.cpp", "cuda/mxv/csr_row.cu")

    def test_absent_without_a_reason(self):
        self.refused("without a reason", ROW.replace("needs the CUDA backend", ""), "cpu/mxv/csr_row.cpp")

    def test_a_row_twice(self):
        self.refused("listed twice", ROW + ROW, "cpu/mxv/csr_row.cpp")

    def test_a_row_in_a_comment_is_no_row(self):
        self.refused("no row", "    //" + ROW, "cpu/mxv/csr_row.cpp")

    def test_a_row_over_several_lines(self):
        rows = '{"mxv",\n "csr_row", presence::here,\n "", presence::absent, "needs "\n "CUDA"},\n'
        self.assertEqual(self.breaches(rows, "cpu/mxv/csr_row.cpp"), [])
        self.assertEqual(check_mirror.parse_rows(rows)[0][2]["cuda"], ("absent", "needs CUDA"))

    def test_shared_files_need_no_row(self):
        self.assertEqual(
            self.breaches(ROW, "cpu/mxv/csr_row.cpp", "cpu/mxv/common.hpp", "cuda/mxv/common_gather.cuh",
                          "cuda/schedule/merge_path.cuh", "cpu/parallel.hpp"), [])


if __name__ == "__main__":
    unittest.main()
