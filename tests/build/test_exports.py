"""The public headers as the scripts read them: declarations, comments, and the names that a shared library lets out."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import cpp_reference
import exports


class Headers(unittest.TestCase):
    HEADER = """// What it is,
// in two lines.
#pragma once

namespace nz {

namespace detail {
struct hidden {};
}  // namespace detail

class other;

/// Adds.
inline int add(int a, int b) { return a + b; }
/// A thing.
class thing : public base {
public:
    int size() const;

private:
    int size_;
};
std::string_view name_of(thing t);

}  // namespace nz
"""

    def test_declarations_come_with_their_comments(self):
        found = [(c, cpp_reference.name_of(d), d) for c, d in cpp_reference.items(self.HEADER)]
        self.assertEqual([(c, n) for c, n, _ in found], [("", ""), ("Adds.", "add"), ("A thing.", "thing"), ("", "name_of")])
        self.assertEqual(found[1][2], "inline int add(int a, int b);")
        self.assertNotIn("size_", found[2][2])

    def test_the_public_headers_are_all_there(self):
        classes, functions, typed = exports.public_names()
        self.assertLessEqual({"matrix", "vector", "context", "semiring", "error"}, set(classes))
        self.assertLessEqual({"mxv", "mxm", "bfs", "load", "to_string"}, set(functions))
        self.assertLessEqual({"error", "out_of_memory", "memory_resource"}, set(typed))
        page = cpp_reference.page()
        for name in (*classes, *functions):
            self.assertIn(f"### {name}\n", page)


if __name__ == "__main__":
    unittest.main()
