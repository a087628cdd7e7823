// How factors that a GPU has no room for are cut, what speaks for a kernel there, and products put together from their parts, which a
// CPU computes here.
#include "ops/mxm_parts.hpp"

#include "ops/mxm_met_rows.hpp"
#include "ops/mxm_strips.hpp"
#include "plan/mxm_device_workspace.hpp"
#include "support/compare.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

constexpr unsigned mxm_parts_seed = 20261125;
constexpr std::size_t one_mib = std::size_t{1} << 20;

TEST(MxmCut, LeavesAQuarterAndGivesTheStripWhatTheChunkLeaves) {
    plan::mxm_part_facts f{.row_bytes = 10 * one_mib,
                           .column_bytes = 10 * one_mib,
                           .strip_bytes = 0,
                           .free = 4 * one_mib,
                           .rows = 1000,
                           .columns = 1000};
    EXPECT_EQ(plan::mxm_cut(f), (plan::mxm_parts{10, 5})) << "a quarter and a half";
    f.row_bytes = one_mib / 2;
    EXPECT_EQ(plan::mxm_cut(f), (plan::mxm_parts{1, 4})) << "the rest of three quarters";
    f = {.row_bytes = 10 * one_mib,
         .column_bytes = one_mib,
         .free = 4 * one_mib,
         .rows = 1000,
         .columns = 1000};
    EXPECT_EQ(plan::mxm_cut(f), (plan::mxm_parts{5, 1}));
    f = {.row_bytes = one_mib, .column_bytes = one_mib, .free = 4 * one_mib, .rows = 1000, .columns = 1000};
    EXPECT_EQ(plan::mxm_cut(f), (plan::mxm_parts{1, 1}));
    f = {.row_bytes = 100 * one_mib, .column_bytes = 100 * one_mib, .free = one_mib, .rows = 7, .columns = 3};
    EXPECT_EQ(plan::mxm_cut(f), (plan::mxm_parts{7, 3})) << "a row and a column are not cut";
    f.strip_bytes = one_mib / 4;
    f.columns = f.rows = 1000;
    EXPECT_EQ(plan::mxm_cut(f).strips, 400) << "what every strip has is no room for its entries";
}

TEST(MxmCut, HalvesPartsUntilTheyAreSmall) {
    const plan::mxm_part_facts f{.row_bytes = one_mib,
                                 .column_bytes = 2 * one_mib,
                                 .strip_bytes = 100,
                                 .free = 8 * one_mib,
                                 .rows = 1 << 20,
                                 .columns = 1 << 20};
    EXPECT_EQ(plan::mxm_cut(f, 0), (plan::mxm_parts{1, 1}));
    EXPECT_EQ(plan::mxm_cut(f, 1), (plan::mxm_parts{2, 2}));
    EXPECT_EQ(plan::mxm_cut(f, 3), (plan::mxm_parts{8, 8}));
    constexpr auto chunks = static_cast<index_t>(one_mib / plan::least_part_bytes);
    EXPECT_EQ(plan::mxm_cut(f, 20), (plan::mxm_parts{chunks, 2 * chunks}));
    EXPECT_EQ(plan::mxm_cut(f, 21), plan::mxm_cut(f, 20));
    plan::mxm_part_facts small = f;
    small.column_bytes = 900;
    EXPECT_EQ(plan::mxm_cut(small, 5).strips, 1) << "small as a whole";
    EXPECT_EQ(plan::mxm_cut({.free = 1, .rows = 0, .columns = 0}), (plan::mxm_parts{1, 1}))
        << "nothing to place";
}

TEST(MxmCut, SaysHowMuchTheSmallestPartsNeed) {
    for (const std::size_t rows : {std::size_t{0}, std::size_t{100}, 5 * one_mib})
        for (const std::size_t columns : {std::size_t{0}, std::size_t{3000}, 7 * one_mib})
            for (const std::size_t strip : {std::size_t{0}, one_mib}) {
                plan::mxm_part_facts f{.row_bytes = rows,
                                       .column_bytes = columns,
                                       .strip_bytes = strip,
                                       .rows = 99,
                                       .columns = 99};
                f.free = plan::mxm_least_free(f);
                EXPECT_GT(plan::mxm_cut(f).strips, 0) << rows << " " << columns << " " << strip;
                if (strip == 0) continue;
                f.free -= 8;
                EXPECT_EQ(plan::mxm_cut(f), plan::mxm_parts{}) << rows << " " << columns << " " << strip;
            }
}

TEST(MxmCut, IsSaidByThePlan) {
    mxm_plan plan;
    plan.operation = "mxm";
    plan.kernel = "hash";
    plan.on_device = true;
    plan.chunks = 3;
    plan.strips = 2;
    EXPECT_NE(to_string(plan).find(", in 3 chunks of rows by 2 strips of columns that leave for the host,"),
              std::string::npos)
        << to_string(plan);
    plan.chunks = 1;
    EXPECT_NE(to_string(plan).find(", in 1 chunk of rows by 2 strips"), std::string::npos) << to_string(plan);
}

// A part computed at once, whose pieces arrive when the GPU's may at the latest.
class part_on_cpu : public ops::counted_rows {
public:
    part_on_cpu(const ops::product& part, offset_t room)
        : c_(part.ctx, part.value, part.left.rows(), part.right.columns()), room_(room) {
        matrix_options options = part.options;
        options.transpose_a = part.left.transposed;
        options.transpose_b = part.right.transposed;
        plan_ = mxm(part.ctx, c_, part.ring, part.left.a, part.right.a, options);
        const storage::csr& rows = c_.body().rows();
        for (index_t i = 0; i <= rows.rows; ++i) starts_.push_back(rows.offset(i));
    }
    const mxm_plan& plan() const override { return plan_; }
    std::span<const offset_t> starts() const override { return starts_; }
    offset_t begin(offset_t entries, index_t first_column) override {
        first_column_ = first_column;
        offset_t longest = 1;
        for (std::size_t i = 1; i < starts_.size(); ++i)
            longest = std::max(longest, starts_[i] - starts_[i - 1]);
        return std::max(std::min(entries, room_), longest);
    }
    void send(index_t first, index_t last, storage::csr& c) override {
        if (sent_.size() == 2) arrive();
        sent_.push_back({first, last, c.indices.as<index_t>(), c.values.as<std::byte>()});
    }
    void finish() override {
        while (!sent_.empty()) arrive();
    }

private:
    struct piece {
        index_t first, last;
        index_t* columns;
        std::byte* values;
    };
    void arrive() {
        const piece p = sent_.front();
        sent_.erase(sent_.begin());
        const storage::csr& rows = c_.body().rows();
        const auto from = static_cast<std::size_t>(rows.offset(p.first)),
                   n = static_cast<std::size_t>(rows.offset(p.last)) - from, width = rows.value_bytes();
        if (n == 0) return;
        for (std::size_t e = from; e < from + n; ++e) p.columns[e] = rows.index_data()[e] + first_column_;
        std::memcpy(p.values + from * width, rows.values.as<std::byte>() + from * width, n * width);
    }

    matrix c_;
    offset_t room_;
    mxm_plan plan_;
    std::vector<offset_t> starts_;
    std::vector<piece> sent_;
    index_t first_column_ = 0;
};

matrix in_parts_on_cpu(const ops::product& p, std::string_view kernel, plan::mxm_parts parts, offset_t room,
                       mxm_plan& plan) {
    ops::cut_product cut(
        p, kernel, parts, [&](const ops::product& part) { return std::make_unique<part_on_cpu>(part, room); },
        host_memory());
    cut.count();
    storage::csr result = ops::host_result(p.ctx, host_memory(), p.value,
                                           static_cast<index_t>(p.right.columns()), cut.starts());
    // Some rows after others, as a CPU beside leaves them: last ones first, cut where chunks are not.
    const index_t third = result.rows / 3;
    cut.fill(third, result.rows, result);
    if (third) cut.fill(0, third, result);
    plan = cut.plan();
    return storage::make_matrix(p.ctx, std::move(result));
}

TEST(MxmParts, MakeTheWholeBitForBit) {
    std::mt19937 random(mxm_parts_seed);
    for (const int threads : {1, 3}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        dictionary a = random_dictionary(190, 130, 0.1, dtype::float64, random),
                   b = random_dictionary(130, 170, 0.1, dtype::float64, random),
                   places = random_dictionary(190, 170, 0.3, dtype::float64, random);
        for (auto* d : {&a, &b})
            for (auto& [at, x] : d->entries) x = to_element(reals(1, random)[0]);
        std::erase_if(a.entries, [](const auto& e) { return e.first.first / 20 % 3 == 1; });
        std::erase_if(b.entries, [](const auto& e) { return e.first.second / 30 % 2 == 1; });
        const matrix left = make_matrix(ctx, a), right = make_matrix(ctx, b), mask = make_matrix(ctx, places),
                     left_t = make_matrix(ctx, transposed(a)), right_t = make_matrix(ctx, transposed(b));
        for (const auto* name : {"plus_times_fp64", "any_secondi_int32"})
            for (const int kind : {0, 1, 2, 3})
                for (const bool turned : {false, true}) {
                    const semiring s(name);
                    matrix_options options{.mask = kind ? &mask : nullptr,
                                           .mask_structure = kind == 1,
                                           .mask_complement = kind == 3,
                                           .transpose_a = turned,
                                           .transpose_b = turned,
                                           .kernel = kind ? "masked_row" : ""};
                    const matrix &l = turned ? left_t : left, &r = turned ? right_t : right;
                    const ops::product p = ops::make_product(ctx, s, l, r, options);
                    matrix expected(ctx, p.value, 190, 170);
                    const mxm_plan whole = mxm(ctx, expected, s, left, right,
                                               {.mask = options.mask,
                                                .mask_structure = options.mask_structure,
                                                .mask_complement = options.mask_complement,
                                                .kernel = options.kernel});
                    for (const auto& [chunks, strips] : {std::pair{1, 1}, {1, 6}, {5, 1}, {4, 3}, {2, 170}})
                        for (const offset_t room : {offset_t{7}, offset_t{1} << 30}) {
                            mxm_plan plan;
                            const matrix c = in_parts_on_cpu(p, options.kernel, {chunks, strips}, room, plan);
                            c.validate();
                            ASSERT_TRUE(same_bits(expected, c))
                                << name << " " << chunks << " x " << strips << ", mask " << kind;
                            EXPECT_EQ(plan.products, whole.products);
                            EXPECT_LE(plan.strips, strips);
                            EXPECT_EQ(plan.strips > 1, strips > 1);
                            EXPECT_EQ(plan.chunks > 1, chunks > 1);
                        }
                }
    }
}

// Each chunk with the rows of B between the first and the last that it meets, and a row more on either side where there is one.
std::vector<ops::met_rows> chunks_of(const storage::csr& a, const storage::csr& b, index_t rows_each) {
    std::vector<ops::met_rows> chunks;
    for (index_t row = 0; row < a.rows; row += rows_each) {
        const auto begin = a.index_data() + a.offset(row),
                   end = a.index_data() + a.offset(std::min(row + rows_each, a.rows));
        const auto [low, high] = std::minmax_element(begin, end);
        ops::met_rows met{row, 0, 1, 0, 1};
        if (begin != end) met = {row, std::max(*low - 1, 0), std::min(*high + 2, a.columns), b.columns, 0};
        for (offset_t e = b.offset(met.first); e < b.offset(met.last); ++e) {
            met.first_column = std::min(met.first_column, b.index_data()[e]);
            met.last_column = std::max(met.last_column, b.index_data()[e] + 1);
        }
        chunks.push_back(met);
    }
    return chunks;
}

TEST(MxmParts, ByTheRowsOfBThatChunksMeetTheyMakeTheWholeBitForBit) {
    std::mt19937 random(mxm_parts_seed + 3);
    const context ctx({.backend = backend::cpu, .threads = 2});
    dictionary a = random_dictionary(190, 130, 0.1, dtype::float64, random),
               b = random_dictionary(130, 170, 0.1, dtype::float64, random),
               places = random_dictionary(190, 170, 0.3, dtype::float64, random);
    for (auto* d : {&a, &b})
        for (auto& [at, x] : d->entries) x = to_element(reals(1, random)[0]);
    // Bands, with rows that are empty.
    std::erase_if(a.entries, [](const auto& e) {
        return std::abs(e.first.first * 130 / 190 - e.first.second) > 25 || e.first.first / 20 % 3 == 1;
    });
    std::erase_if(b.entries,
                  [](const auto& e) { return std::abs(e.first.first + 20 - e.first.second) > 30; });
    const matrix left = make_matrix(ctx, a), right = make_matrix(ctx, b), mask = make_matrix(ctx, places);
    const semiring s("plus_times");
    for (const bool masked : {false, true})
        for (const index_t rows_each : {7, 64, 190}) {
            const matrix_options options{.mask = masked ? &mask : nullptr,
                                         .kernel = masked ? "masked_row" : ""};
            const ops::product p = ops::make_product(ctx, s, left, right, options);
            matrix expected(ctx, dtype::float64, 190, 170);
            mxm(ctx, expected, s, left, right, options);
            const std::vector<ops::met_rows> chunks =
                chunks_of(left.body().rows(), right.body().rows(), rows_each);
            ops::cut_product cut(
                p, options.kernel, chunks,
                [&](const ops::product& part) {
                    EXPECT_EQ(part.left.columns(), part.right.rows());
                    EXPECT_LE(part.left.rows(), rows_each);
                    return std::make_unique<part_on_cpu>(part, offset_t{30});
                },
                host_memory());
            cut.count();
            storage::csr result = ops::host_result(ctx, host_memory(), dtype::float64, 170, cut.starts());
            cut.fill(50, 190, result);
            cut.fill(0, 50, result);
            const matrix c = storage::make_matrix(ctx, std::move(result));
            c.validate();
            EXPECT_TRUE(same_bits(expected, c)) << rows_each;
            EXPECT_EQ(cut.plan().chunks, static_cast<index_t>(chunks.size()));
            EXPECT_EQ(cut.plan().strips, 1);
        }
}

// Every chunk holds what its rows meet, within the bytes; where rows meet all of B there are none.
TEST(MxmParts, ChunksComeWithTheRowsOfBThatTheyMeet) {
    const context ctx({.backend = backend::cpu, .threads = 3});
    const semiring s("plus_times");
    const matrix_options none;
    for (const auto* source : {"banded:20000,9", "laplace2d:150", "grid2d:130,0.3"}) {
        SCOPED_TRACE(source);
        const matrix a = load(ctx, source).matrix;
        const storage::csr& rows = a.body().rows();
        const ops::product p = ops::make_product(ctx, s, a, a, none);
        const ops::row_costs costs(p, "");
        plan::mxm_part_facts f;
        f.rows = f.columns = rows.rows;
        f.row_bytes = static_cast<std::size_t>(rows.nnz) * costs.entry +
                      static_cast<std::size_t>(rows.rows) * costs.row;
        f.column_bytes = static_cast<std::size_t>(rows.nnz) * 20;
        f.strip_bytes = static_cast<std::size_t>(rows.rows) * 9;
        const double all = static_cast<double>(f.row_bytes + f.column_bytes + f.strip_bytes), most = all / 7,
                     plenty = 3 * all;
        const std::vector<ops::met_rows> chunks = ops::chunks_by_met_rows(p, f, "", most, plenty);
        ASSERT_GT(chunks.size(), 6u);
        EXPECT_LT(chunks.size(), 30u);
        EXPECT_EQ(chunks[0].row, 0);
        double brought = 0;
        for (std::size_t n = 0; n < chunks.size(); ++n) {
            const ops::met_rows& c = chunks[n];
            const index_t end = n + 1 < chunks.size() ? chunks[n + 1].row : rows.rows;
            ASSERT_LT(c.row, end);
            const auto within = [](const storage::csr& of, index_t first, index_t last, index_t low,
                                   index_t high) {
                for (offset_t e = of.offset(first); e < of.offset(last); ++e)
                    if (of.index_data()[e] < low || of.index_data()[e] >= high) return false;
                return true;
            };
            EXPECT_TRUE(within(rows, c.row, end, c.first, c.last));
            EXPECT_TRUE(within(rows, c.first, c.last, c.first_column, c.last_column));
            const double of_b = 20.0 * static_cast<double>(rows.offset(c.last) - rows.offset(c.first)) +
                                9.0 * (c.last - c.first),
                         of_a = static_cast<double>(costs.entry) *
                                    static_cast<double>(rows.offset(end) - rows.offset(c.row)) +
                                static_cast<double>(costs.row) * (end - c.row);
            EXPECT_LE(of_a + of_b, most * 1.0001);
            brought += of_b;
        }
        EXPECT_TRUE(ops::chunks_by_met_rows(p, f, "", most, brought * 0.99).empty());
        EXPECT_EQ(ops::chunks_by_met_rows(p, f, "", most, brought * 1.01).size(), chunks.size());
        EXPECT_TRUE(ops::chunks_by_met_rows(p, f, "", all / 1e5, plenty).empty());
    }
    const matrix a = load(ctx, "random:20000,9").matrix;
    const ops::product p = ops::make_product(ctx, s, a, a, none);
    plan::mxm_part_facts f;
    f.row_bytes = f.column_bytes = static_cast<std::size_t>(a.nnz()) * 12;
    f.strip_bytes = 20000 * 9;
    EXPECT_TRUE(ops::chunks_by_met_rows(p, f, "", static_cast<double>(f.column_bytes) / 2, 1e300).empty());
}

TEST(MxmParts, OfMatricesWithoutEntriesAreEmpty) {
    const context ctx({.backend = backend::cpu});
    const matrix a(ctx, dtype::float64, 9, 5), b(ctx, dtype::float64, 5, 8);
    const semiring s("plus_times");
    const matrix_options none;
    mxm_plan plan;
    const matrix c = in_parts_on_cpu(ops::make_product(ctx, s, a, b, none), "", {3, 2}, 10, plan);
    EXPECT_EQ(c.nnz(), 0);
    c.validate();
}

TEST(MxmParts, HaveNoMaskWhereTheKernelLeavesItToTheEnd) {
    std::mt19937 random(mxm_parts_seed + 1);
    const context ctx({.backend = backend::cpu});
    const matrix a = make_matrix(ctx, random_dictionary(40, 40, 0.2, dtype::int64, random));
    const semiring s("plus_times");
    const matrix_options options{.mask = &a, .mask_complement = true, .kernel = "hash"};
    matrix expected(ctx, dtype::int64, 40, 40);
    mxm(ctx, expected, s, a, a);
    mxm_plan plan;
    EXPECT_TRUE(same_bits(
        expected, in_parts_on_cpu(ops::make_product(ctx, s, a, a, options), "hash", {3, 4}, 20, plan)));
}

TEST(MxmParts, ThePlansOfMaskedProductsGoByWhatTheirRowsHave) {
    std::mt19937 random(mxm_parts_seed + 2);
    const context ctx({.backend = backend::cpu, .threads = 2});
    const dictionary a = random_dictionary(60, 50, 0.3, dtype::float64, random),
                     b = random_dictionary(50, 70, 0.4, dtype::float64, random);
    dictionary m = random_dictionary(60, 70, 0.05, dtype::float64, random);
    std::erase_if(m.entries, [](const auto& e) { return e.first.first % 4 == 1; });
    const matrix left = make_matrix(ctx, a), right = make_matrix(ctx, b), mask = make_matrix(ctx, m);
    for (const bool structure : {false, true}) {
        const semiring s("plus_times");
        const matrix_options options{.mask = &mask, .mask_structure = structure};
        const ops::product p = ops::make_product(ctx, s, left, right, options);
        plan::mxm_facts f = ops::facts_of(p);
        f.on_device = true;
        ops::count_masked_facts(p, f);
        std::vector<offset_t> of_row(50), of_column(70), products(60);
        for (const auto& [at, x] : b.entries) {
            ++of_row[static_cast<std::size_t>(at.first)];
            ++of_column[static_cast<std::size_t>(at.second)];
        }
        std::vector<bool> listed(60);
        offset_t steps = 0;
        for (const auto& [at, x] : m.entries) {
            if (!structure && from_element<double>(x) == 0) continue;
            listed[static_cast<std::size_t>(at.first)] = true;
            steps += of_column[static_cast<std::size_t>(at.second)];
        }
        for (const auto& [at, x] : a.entries)
            if (listed[static_cast<std::size_t>(at.first)])
                products[static_cast<std::size_t>(at.first)] += of_row[static_cast<std::size_t>(at.second)];
        offset_t all = 0, large = 0;
        for (const offset_t n : products) {
            all += n;
            large += n > plan::sorted_under_mask;
        }
        EXPECT_EQ(f.products, all);
        EXPECT_EQ(f.large_rows, large);
        EXPECT_EQ(f.huge_rows, 0);
        ASSERT_GT(large, 20);
        EXPECT_EQ(f.dot_steps, steps) << "dots are fewer";
    }
}

}  // namespace
}  // namespace nz::test
