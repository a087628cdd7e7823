"""A record is of the sources that it was made from, and stale once one of them changes."""

import contextlib
import io
import json
import unittest
from unittest import mock

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

    def test_what_could_not_be_measured_is_left_out(self):
        bench = {"context": {"date": "2026-11-25", "host_name": "h", "num_cpus": 16, "gpu": "G", "gpu_l2_bytes": "5"},
                 "benchmarks": [{"name": "a/1/iterations:1", "real_time": 2.0, "entries": 3.0, "label": "csr_row"},
                                {"name": "b/1", "real_time": 0.0, "error_occurred": True, "error_message": "cannot"}]}
        made = self.made({"run.json": bench})
        self.assertEqual(made["results"], {"a/1": {"ms": 2.0, "entries": 3.0, "plan": "csr_row"}})
        self.assertEqual(made["machine"], {"num_cpus": 16, "gpu": "G", "gpu_l2_bytes": "5"})

    def test_files_of_different_machines_are_refused(self):
        def bench(**machine):
            return {"context": {"date": "2026-11-25"} | machine, "benchmarks": []}
        one = bench(num_cpus=16, mhz_per_cpu=2100, gpu="G")
        made = self.made({"a.json": one, "b.json": bench(num_cpus=16, mhz_per_cpu=2600)})
        self.assertEqual(made["machine"], {"num_cpus": 16, "gpu": "G", "mhz_per_cpu": 2600})
        for other in (bench(num_cpus=16, gpu="another"), bench(num_cpus=2, gpu="G")):
            with self.assertRaisesRegex(SystemExit, "different machines"):
                self.made({"a.json": one, "b.json": other})

    def made(self, files):
        for name, content in files.items():
            self.write(name, json.dumps(content))
        with mock.patch.object(bench_record, "RECORDS", self.root / "records"), \
             mock.patch.object(bench_record, "ROOT", self.root), \
             mock.patch.object(bench_record, "source_hash", lambda: "0"), \
             mock.patch.object(bench_record.subprocess, "run", lambda *_, **__: mock.Mock(stdout="commit\n")), \
             contextlib.redirect_stdout(io.StringIO()):
            bench_record.make("device", [self.root / name for name in files])
        return json.loads((self.root / "records" / "device.json").read_text())


if __name__ == "__main__":
    unittest.main()
