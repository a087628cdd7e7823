"""The scripts that make and read documents: what they find, and what they refuse."""

import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import documents
import error_texts
import kernel_atlas


class Documents(unittest.TestCase):
    def blocks(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.md"
            path.write_text(text)
            root, documents.ROOT = documents.ROOT, pathlib.Path(folder)
            try:
                return documents.blocks_of(path)
            finally:
                documents.ROOT = root

    def test_a_block_knows_its_place_and_its_output(self):
        (block,) = self.blocks("# A\n\n```sh\nnz\n```\n\ntext\n\n```output\nsix\n```\n")
        self.assertEqual((block.name, block.language, block.code, block.output), ("page.md:4", "sh", "nz\n", "six\n"))

    def test_a_block_that_nobody_runs_is_refused(self):
        for text in ("```\nx\n```\n", "```ruby\nx\n```\n", "```output\nx\n```\n"):
            with self.assertRaises(ValueError):
                self.blocks(text)

    def test_what_looks_like_html_is_code(self):
        for path in documents.pages():
            text = re.sub(r"^ *```.*?^ *```$|`[^`\n]+`|<!--.*?-->", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
            self.assertEqual(re.findall(r"<(?!div |/div)[A-Za-z/][^>]*>", text), [], path)

    def test_every_kernel_stands_on_the_page_of_its_operation(self):
        pages = "\n".join(p.read_text() for folder in ("operations", "algorithms") for p in (ROOT / "docs" / folder).glob("*.md"))
        for operation, kernel, *_ in kernel_atlas.ROW.findall((ROOT / "src/kernels/kernel_ids.hpp").read_text()):
            self.assertTrue(f"`{kernel}`" in pages or f"`{operation}/{kernel}`" in pages, f"{operation}/{kernel}")

    def test_every_verb_stands_on_the_page_of_the_command_line(self):
        page = (ROOT / "docs/guide/command-line.md").read_text()
        for path in (ROOT / "cli").glob("*.cpp"):
            for verb in re.findall(r'app\.add_subcommand\("(\w+)"', path.read_text()):
                self.assertIn(f"`{verb}`", page)


class ErrorTexts(unittest.TestCase):
    def texts(self, code):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.cpp"
            path.write_text(code)
            root, error_texts.ROOT = error_texts.ROOT, pathlib.Path(folder)
            try:
                return list(error_texts.in_cpp(path, "src/io"))
            finally:
                error_texts.ROOT = root

    def test_texts_are_found_wherever_they_are_thrown(self):
        code = """
            require<domain_error>(f<int, 2>(x) == "not this", "{} is {:.3f}: " "too much", name, x ? "nor this" : "");
            if (x) fail<not_supported>("there is no {}", y);
            throw usage_error(fmt::format("--source {0} is no {0}", z));
            throw error(name + " has no end");  // throw error("nor this")
            reader.fail(size ? fmt::format("{} is large", size) : fmt::format("nothing is there"));
        """
        self.assertEqual(
            self.texts(code),
            [("domain_error", "{} is {}: too much"), ("not_supported", "there is no {}"), ("wrong usage", "--source {} is no {}"),
             ("error", "{} has no end"), ("invalid_format", "{} is large"), ("invalid_format", "nothing is there")],
        )

    def test_an_error_without_a_text_is_refused(self):
        with self.assertRaises(ValueError):
            self.texts("throw error(text);")


if __name__ == "__main__":
    unittest.main()
