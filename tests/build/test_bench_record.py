"""A record is of the sources that it was made from, and stale once one of them changes."""

import unittest

from fake_tree import FakeTreeTest
import bench_record


class BenchRecord(FakeTreeTest):
    def test_the_hash_follows_content_and_names_of_what_is_measured(self):
        self.write("src/kernels/cuda/a.cu", "one")
        first = bench_record.source_hash(self.root)
        self.write("docs/a.md", "not measured")
        self.assertEqual(bench_record.source_hash(self.root), first)
        self.write("src/kernels/cuda/a.cu", "two")
        second = bench_record.source_hash(self.root)
        self.assertNotEqual(second, first)
        self.write("src/kernels/cuda/a.cu", "one")
        self.write("src/kernels/cuda/b.cu", "")
        self.assertNotEqual(bench_record.source_hash(self.root), first)


if __name__ == "__main__":
    unittest.main()
