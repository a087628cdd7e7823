// mxv by the forms that a matrix keeps beside its CSR (tiles, slices, blocks, ranks): every compiled semiring and type, against the dictionary
// model.
#include "storage/block_sides.hpp"
#include "storage/vector_body.hpp"
#include "support/battery.hpp"
#include "support/mxv_cells.hpp"
#include "support/settings.hpp"

#include <set>

namespace nz::test {
namespace {

class CompiledSemiringByForms : public ::testing::TestWithParam<mxv_cell_case> {};
INSTANTIATE_TEST_SUITE_P(Every, CompiledSemiringByForms, ::testing::ValuesIn(all_mxv_cells()),
                         [](const auto& info) { return info.param.ring().name(); });

// Every size of tile, with everything in tiles, everything outside, and what the plan takes.
TEST_P(CompiledSemiringByForms, TilesOfEverySizeAgreeWithTheModel) {
    std::mt19937 random(mxv_seed + 9);
    SCOPED_TRACE("seed " + std::to_string(mxv_seed + 9));
    const semiring s = GetParam().ring();
    const dtype type = GetParam().cell->operand;
    const context ctx({.threads = 2});
    for (const auto& [name, a] : larger_matrices(type, random))
        for (const vector_form form : {vector_form::dense, vector_form::sparse}) {
            const dictionary u = random_input(a.columns, form, type, random);
            const dictionary expected = model_mxm(s, a, u);
            const matrix left = make_matrix(ctx, a);
            const vector right = make_vector(ctx, u, form);
            for (const auto* kernel : {"tile_row", "tile_column"})
                for (const int size : {16, 32, 64})
                    for (const int least : {1, -1, 1 << 20}) {
                        vector w(ctx, expected.type, a.rows);
                        const mxv_plan plan =
                            mxv(ctx, w, s, left, right, {.kernel = kernel, .tiles = {size, least}});
                        ASSERT_EQ(plan.tiles.size, size);
                        ASSERT_TRUE(same(expected, w)) << name << ", " << kernel << " " << size << ", least "
                                                       << least << ", u " << name_of(form);
                    }
        }
}

// Slices that are full, that have holes, whose diagonals leave the matrix at every side, that few rows or none share, and with so
// many diagonals that a GPU's block shares them; the last slice short, by more and by less than half of a word of presence.
TEST_P(CompiledSemiringByForms, SlicesOfEveryKindAgreeWithTheModel) {
    std::mt19937 random(mxv_seed + 11);
    SCOPED_TRACE("seed " + std::to_string(mxv_seed + 11));
    const semiring s = GetParam().ring();
    const dtype type = GetParam().cell->operand;
    const auto holds = [&](index_t i, index_t j, int kind) {
        switch (kind) {
            case 0:
                return i - j <= 3 && j - i <= 5;  // a band
            case 1:
                return (i - j) % 7 == 0 && random() % 3 != 0;  // with holes
            case 2:
                return i >= 32 && i < 64 ? random() % 40 == 0
                                         : j == i || j == i + 90;  // one slice unlike the rest
            default:
                return i % 50 != 49;  // dense, some rows empty
        }
    };
    struct shape {
        index_t rows, columns;
        int kind;
    };
    for (const shape of :
         {shape{200, 230, 0}, {321, 97, 0}, {150, 150, 1}, {64, 300, 1}, {161, 161, 2}, {70, 640, 3}}) {
        dictionary a{of.rows, of.columns, type, {}};
        for (index_t i = 0; i < of.rows; ++i)
            for (index_t j = 0; j < of.columns; ++j)
                if (holds(i, j, of.kind)) a.entries[{i, j}] = random_value(type, random);
        for (const vector_form form : every_form) {
            const dictionary u = random_input(a.columns, form, type, random);
            const dictionary expected = model_mxm(s, a, u);
            for (const int threads : {1, 3}) {
                const context ctx({.threads = threads});
                const matrix left = make_matrix(ctx, a);
                const vector right = make_vector(ctx, u, form);
                for (int turn = 0; turn < 2; ++turn) {
                    vector w(ctx, expected.type, a.rows);
                    const mxv_plan plan = mxv(ctx, w, s, left, right, {.kernel = "dia_slice"});
                    ASSERT_EQ(plan.builds_slices, turn == 0);
                    ASSERT_TRUE(same(expected, w))
                        << of.rows << " x " << of.columns << ", kind " << of.kind << ", u " << name_of(form)
                        << ", " << threads << " threads";
                }
            }
        }
    }
}

// Blocks of every side: full ones alone, with holes, and cut by the matrix's last row and column; rows without any.
TEST_P(CompiledSemiringByForms, BlocksOfEverySideAgreeWithTheModel) {
    std::mt19937 random(mxv_seed + 12);
    SCOPED_TRACE("seed " + std::to_string(mxv_seed + 12));
    const semiring s = GetParam().ring();
    const dtype type = GetParam().cell->operand;
    for (const int side : storage::block_sides)
        for (const int kind : {0, 1, 2}) {  // full, with holes, cut
            const index_t nodes = 70, size = nodes * side - (kind == 2 ? 1 : 0);
            dictionary a{size, size, type, {}};
            for (index_t node = 0; node < nodes; node += node % 5 == 3 ? 2 : 1)
                for (int k = 0; k < 4; ++k) {
                    const auto other = static_cast<index_t>(k ? random() % nodes : node);
                    for (int r = 0; r < side; ++r)
                        for (int c = 0; c < side; ++c)
                            if ((kind != 1 || random() % 4) && node * side + r < size &&
                                other * side + c < size)
                                a.entries[{node * side + r, other * side + c}] = random_value(type, random);
                }
            for (const vector_form form : every_form) {
                const dictionary u = random_input(a.columns, form, type, random);
                const dictionary expected = model_mxm(s, a, u);
                for (const int threads : {1, 3}) {
                    const context ctx({.backend = backend::cpu, .threads = threads});
                    const matrix left = make_matrix(ctx, a);
                    vector w(ctx, expected.type, a.rows);
                    const mxv_plan plan =
                        mxv(ctx, w, s, left, make_vector(ctx, u, form), {.kernel = "bsr_row"});
                    ASSERT_TRUE(plan.builds_blocks && (kind != 0 || plan.block_side == side));
                    ASSERT_TRUE(same(expected, w)) << "side " << side << ", kind " << kind << ", u "
                                                   << name_of(form) << ", " << threads << " threads";
                }
            }
        }
}

// A few columns with many entries, others with one or none; rows without any, and a row of two chunks.
TEST_P(CompiledSemiringByForms, HotAndColdColumnsAgreeWithTheModel) {
    std::mt19937 random(mxv_seed + 13);
    SCOPED_TRACE("seed " + std::to_string(mxv_seed + 13));
    const semiring s = GetParam().ring();
    const dtype type = GetParam().cell->operand;
    dictionary a{150, 2600, type, {}};
    for (index_t i = 0; i < a.rows; ++i)
        for (int k = 0; k < (i % 7 ? 20 : 0) + (i == 100 ? 3000 : 0); ++k)
            a.entries[{i, static_cast<index_t>(k % 2 ? 59 * (random() % 40) : random() % 2600)}] =
                random_value(type, random);
    for (const int threads : {1, 3}) {
        const context ctx({.threads = threads});
        const matrix left = make_matrix(ctx, a);
        for (const vector_form form : every_form) {
            const dictionary u = random_input(a.columns, form, type, random);
            const dictionary expected = model_mxm(s, a, u);
            vector w(ctx, expected.type, a.rows);
            const mxv_plan plan = mxv(ctx, w, s, left, make_vector(ctx, u, form), {.kernel = "csr_ranked"});
            ASSERT_EQ(plan.builds_ranks, form == every_form[0] && !s.ignores_b());
            ASSERT_TRUE(same(expected, w)) << "u " << name_of(form) << ", " << threads << " threads";
        }
    }
}

// Rows of a few lengths, more of each than a slice holds, in an order of their own; lengths that few rows have, and rows without any.
TEST_P(CompiledSemiringByForms, RowsByTheirLengthsAgreeWithTheModel) {
    std::mt19937 random(mxv_seed + 14);
    SCOPED_TRACE("seed " + std::to_string(mxv_seed + 14));
    const semiring s = GetParam().ring();
    const dtype type = GetParam().cell->operand;
    dictionary a{400, 170, type, {}};
    for (index_t i = 0; i < a.rows; ++i) {
        const auto kind = random() % 8;
        const index_t length = kind < 2 ? 1 : kind < 4 ? 6 : kind < 6 ? 11 : kind == 6 ? 0 : 20 + i % 9 * 10;
        std::set<index_t> row;
        while (static_cast<index_t>(row.size()) < length) row.insert(static_cast<index_t>(random() % 170));
        for (const index_t j : row) a.entries[{i, j}] = random_value(type, random);
    }
    for (const int threads : {1, 3}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        const matrix left = make_matrix(ctx, a);
        for (const vector_form form : every_form) {
            const dictionary u = random_input(a.columns, form, type, random);
            const dictionary expected = model_mxm(s, a, u);
            vector w(ctx, expected.type, a.rows);
            const mxv_plan plan = mxv(ctx, w, s, left, make_vector(ctx, u, form), {.kernel = "ell_slice"});
            ASSERT_EQ(plan.builds_ell, form == every_form[0]);
            ASSERT_TRUE(same(expected, w)) << "u " << name_of(form) << ", " << threads << " threads";
        }
    }
}

// Rows of tiles with more tiles than are looked at together, some of them full, and rows that share a column.
TEST_P(CompiledSemiringByForms, RowsOfManyTilesAndFullTilesAgreeWithTheModel) {
    std::mt19937 random(mxv_seed + 10);
    SCOPED_TRACE("seed " + std::to_string(mxv_seed + 10));
    const semiring s = GetParam().ring();
    const dtype type = GetParam().cell->operand;
    const context ctx({.threads = 2});
    dictionary a = random_dictionary(75, 700, 0.1, type, random);
    for (index_t i = 0; i < 75; ++i)
        for (index_t j = 64; j < 128; ++j) a.entries[{i, j}] = random_value(type, random);
    const matrix left = make_matrix(ctx, a);
    for (const vector_form form : every_form) {
        const dictionary u = random_input(a.columns, form, type, random);
        const dictionary expected = model_mxm(s, a, u);
        const vector right = make_vector(ctx, u, form);
        for (const auto* kernel : {"tile_row", "tile_column"})
            for (const int size : {16, 32, 64})
                for (const int least : {1, 9}) {
                    vector w(ctx, expected.type, a.rows);
                    mxv(ctx, w, s, left, right, {.kernel = kernel, .tiles = {size, least}});
                    ASSERT_TRUE(same(expected, w))
                        << kernel << " " << size << ", least " << least << ", u " << name_of(form);
                }
    }
}

// So many rows and so few entries of u that a GPU looks at strips of 64 rows and 16 columns first: words of rows that u does not
// meet, neighbours and far ones that it does, an empty u, masks; tiles of every size, and what is outside them.
TEST_P(CompiledSemiringByForms, TilesAndAVectorOfFewEntriesAgreeWithTheModel) {
    std::mt19937 random(mxv_seed + 12);
    SCOPED_TRACE("seed " + std::to_string(mxv_seed + 12));
    const semiring s = GetParam().ring();
    const dtype type = GetParam().cell->operand;
    const context ctx({.threads = 2});
    if (ctx.backend() != backend::cuda) GTEST_SKIP() << "a GPU's way alone";
    dictionary a{600001, 4000, type, {}}, m{a.rows, 1, dtype::boolean, {}};
    for (index_t k = 0; k < 700; ++k) {
        const index_t i = k < 350 ? k : a.rows - 1 - 700 * (k - 350);
        for (index_t j = 5 * k; j < std::min(5 * k + 40, a.columns);
             j += 1 + static_cast<index_t>(random() % 4))
            a.entries[{i, j}] = random_value(type, random);
        if (k % 90 == 5) a.entries[{i, 63}] = random_value(type, random);
        if (random() % 2) m.entries[{i, 0}] = random_value(dtype::boolean, random);
    }
    const matrix left = make_matrix(ctx, a);
    const vector mask = make_vector(ctx, m, vector_form::bitmap);
    for (const auto& places : {std::vector<index_t>{}, {63}, {900, 3999}, {0, 64, 640, 651, 700, 2600}}) {
        dictionary u{a.columns, 1, type, {}};
        for (const index_t j : places) u.entries[{j, 0}] = random_value(type, random);
        const dictionary product = model_mxm(s, a, u);
        const vector right = make_vector(ctx, u, vector_form::bitmap);
        for (int masked = 0; masked < 3; ++masked) {
            vector_options o{.kernel = "tile_row"};
            writing how;
            if (masked) o.mask = &mask, how.mask = &m;
            o.mask_complement = how.complement = masked == 2;
            const dictionary expected = write({a.rows, 1, product.type, {}}, product, how);
            for (const int size : {16, 32, 64})
                for (const int least : {1, -1, 1 << 20}) {
                    o.tiles = {size, least};
                    vector w(ctx, product.type, a.rows);
                    mxv(ctx, w, s, left, right, o);
                    ASSERT_TRUE(same(expected, w)) << "tiles of " << size << ", least " << least << ", "
                                                   << places.size() << " entries, mask " << masked;
                }
        }
    }
}

}  // namespace
}  // namespace nz::test
