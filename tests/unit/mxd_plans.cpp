// What plan::mxd and plan::sddmm make of facts.
#include "plan/mxd.hpp"
#include "plan/mxd_workspace.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace nz::test {
namespace {

plan::mxd_facts square(offset_t n, offset_t entries, offset_t columns) {
    plan::mxd_facts f;
    f.rows = f.inner = n;
    f.nnz = entries;
    f.columns = columns;
    f.threads = 2;
    return f;
}

TEST(MxdPlan, ComposesWhatIsNotCompiledWhereRowsOfBPayForTheirCalls) {
    plan::mxd_facts f = square(1000, 8000, 16);
    f.compiled = false;
    f.composable = true;
    EXPECT_EQ(plan::mxd(f).kernel, "composed");
    EXPECT_EQ(plan::mxd(f).tier, tier::generic);
    EXPECT_FALSE(plan::mxd(f).packs_second);
    f.b_order = dense_order::column_major;
    EXPECT_TRUE(plan::mxd(f).packs_second);
    EXPECT_GE(plan::mxd(f).workspace_bytes, std::size_t{2} * 1000 * 16 * 8);
    f.memory_left = 1000 * 16 * 8 + 1000;
    EXPECT_EQ(plan::mxd(f).kernel, "generic") << "no room for B by rows";
    f.b_order = dense_order::row_major;
    EXPECT_EQ(plan::mxd(f).kernel, "composed");
    f.columns = 3;
    EXPECT_EQ(plan::mxd(f).kernel, "generic");
}

TEST(MxdPlan, GoesByColumnsWhereVectorsAreCompiledAndRowsOfBAreNotComposed) {
    plan::mxd_facts f = square(1000, 8000, 16);
    f.compiled = false;
    f.by_columns = true;
    EXPECT_EQ(plan::mxd(f).kernel, "columns");
    EXPECT_EQ(plan::mxd(f).tier, tier::generic);
    EXPECT_TRUE(plan::mxd(f).stages_result);
    EXPECT_GE(plan::mxd(f).workspace_bytes, std::size_t{2} * 1000 * 16 * 8);
    f.composable = true;
    EXPECT_EQ(plan::mxd(f).kernel, "columns");
    f.columns = plan::composed_from_columns;
    EXPECT_EQ(plan::mxd(f).kernel, "composed");
    f.columns = 3;
    EXPECT_EQ(plan::mxd(f).kernel, "columns");
    f.memory_left = 1000 * 3 * 8 + 1000;
    EXPECT_EQ(plan::mxd(f).kernel, "generic") << "no room for B by columns";
    f.columns_ready = true;
    EXPECT_EQ(plan::mxd(f).kernel, "generic") << "nor for a column of both";
    f.memory_left += 17000;
    EXPECT_EQ(plan::mxd(f).kernel, "columns");
    EXPECT_FALSE(plan::mxd(f).packs_second);
    for (const auto& [rows, entries, kernel] :
         {std::tuple{1000, 699, "generic"}, std::tuple{1000, 700, "columns"},
          std::tuple{1000000, 100000, "generic"}}) {
        f = square(rows, entries, 16);
        f.compiled = false;
        f.by_columns = true;
        EXPECT_EQ(plan::mxd(f).kernel, kernel) << rows << " rows, " << entries << " entries";
    }
}

TEST(MxdPlan, ChoosesByHowEvenlyWholeRowsAreShared) {
    struct row {
        double share;
        int threads;
        bool compiled;
        std::string_view kernel;
    };
    for (const auto& [share, threads, compiled, kernel] :
         {row{1.0, 2, true, "csr_tiled"}, row{1.09, 2, true, "csr_tiled"}, row{1.2, 2, true, "csr_merge"},
          row{2.0, 1, true, "csr_tiled"}, row{2.0, 2, false, "generic"}}) {
        plan::mxd_facts f = square(1000, 8000, 16);
        f.whole_rows_share = share;
        f.threads = threads;
        f.compiled = compiled;
        EXPECT_EQ(plan::mxd(f).kernel, kernel) << share;
        EXPECT_EQ(plan::mxd(f).tier, compiled ? tier::compiled : tier::generic);
        f.pinned = "reference";
        EXPECT_EQ(plan::mxd(f).kernel, "reference");
        EXPECT_EQ(plan::mxd(f).reason, "pinned");
    }
    plan::mxd_facts small = square(100, 800, 16);
    small.whole_rows_share = 2;
    EXPECT_EQ(plan::mxd(small).kernel, "csr_tiled") << "one thread does it";
}

TEST(MxdPlan, CopiesBWhereItFitsBesideConvertedValues) {
    plan::mxd_facts f = square(1000, 100000, 16);
    f.b_order = dense_order::column_major;
    EXPECT_TRUE(plan::mxd(f).packs_second);
    f.memory_left = plan::mxd(f).workspace_bytes;
    EXPECT_TRUE(plan::mxd(f).packs_second);
    f.convert_matrix = true;
    EXPECT_FALSE(plan::mxd(f).packs_second);
    f.memory_left += 100000 * f.operand_bytes;
    EXPECT_TRUE(plan::mxd(f).packs_second);
}

TEST(MxdPlan, OnAGpuTakesRowsWhereTheyAreEvenAndShareWhatTheyRead) {
    struct row {
        double entries, deviation, distance, runs;
        offset_t columns;
        std::string_view kernel;
        bool wide;
    };
    constexpr double unknown = std::numeric_limits<double>::infinity();
    for (const auto& [entries, deviation, distance, runs, columns, kernel, wide] :
         {row{27, 0.05, 17000, 0.67, 64, "csr_tiled", false},
          row{27, 0.05, 17000, 0.67, 16, "csr_tiled", false},
          row{27, 0.05, 17000, 0.67, 8, "csr_tiled", false}, row{27, 0.05, 17000, 0, 8, "csr_merge", false},
          row{21, 0.01, 5, 1, 64, "csr_merge", true}, row{21, 0.01, 5, 1, 32, "csr_tiled", false},
          row{21, 0.01, 5, 1, 16, "csr_tiled", false}, row{5, 0.01, 1600, 0.5, 64, "csr_merge", false},
          row{5, 0.01, 1600, 0.5, 8, "csr_merge", false}, row{24, 0.5, 17000, 1, 64, "csr_merge", false},
          row{24, 0.5, 17000, 1, 8, "csr_merge", false}, row{24, 0.5, 50, 1, 64, "csr_merge", true},
          row{29, 0.01, 7, 1, 64, "csr_tiled", false}, row{81, 0.1, 7500, 0.9, 64, "csr_tiled", false},
          row{129, 0, 17000, 1, 8, "csr_merge", false}, row{500, 0, 17000, 1, 64, "csr_merge", false},
          row{27, unknown, unknown, 0, 8, "csr_merge", false},
          row{27, unknown, unknown, 0, 64, "csr_merge", false}}) {
        plan::mxd_facts f = square(100000, static_cast<offset_t>(entries * 100000), columns);
        f.on_device = true;
        f.row_deviation = deviation;
        f.column_distance = distance;
        f.column_runs = runs;
        const dense_plan plan = plan::mxd(f);
        EXPECT_EQ(plan.kernel, kernel) << entries << " " << distance << " " << columns;
        EXPECT_TRUE(plan.on_device);
        EXPECT_EQ(plan.wide_tiles, wide) << entries << " " << distance << " " << columns;
        EXPECT_EQ(plan.workspace_bytes,
                  kernel == "csr_merge"
                      ? plan::mxd_device_merge_workspace(plan::mxd_device_chunks(f.nnz), columns, 8)
                      : 0u);
        f.pinned = "reference";
        EXPECT_FALSE(plan::mxd(f).on_device);
    }
}

TEST(MxdPlan, OnAGpuSmallMatricesWithoutLongRowsTakeOneLaunch) {
    const auto chosen = [](index_t rows, offset_t nnz, index_t columns, offset_t longest) {
        plan::mxd_facts f = square(rows, nnz, columns);
        f.on_device = true;
        f.longest_row = longest;
        return plan::mxd(f).kernel;
    };
    EXPECT_EQ(chosen(30000, 220000, 8, 36), "csr_tiled");
    EXPECT_EQ(chosen(30000, 220000, 8, 37), "csr_merge");
    EXPECT_EQ(chosen(68745, 51973, 8, 65), "csr_tiled") << "ca-HepTh: many rows";
    EXPECT_EQ(chosen(68745, 51973, 8, 81), "csr_merge");
    EXPECT_EQ(chosen(45000, 327000, 64, 92), "csr_tiled");
    EXPECT_EQ(chosen(45000, 327000, 64, 93), "csr_merge");
    EXPECT_EQ(chosen(129164, 330870, 64, 7), "csr_tiled") << "usroads";
    EXPECT_EQ(chosen(150000, 522000, 64, 54), "csr_merge") << "C is large";
    EXPECT_EQ(chosen(200000, 1100000, 8, 9), "csr_merge") << "A is";
    EXPECT_EQ(chosen(45000, 327000, 8, -1), "csr_merge") << "not known";
}

TEST(MxdPlan, OnAGpuFewEvenRowsThatAreLongAreSharedOut) {
    const auto chosen = [](index_t rows, index_t entries) {
        plan::mxd_facts f = square(rows, offset_t{rows} * entries, 8);
        f.on_device = true;
        f.row_deviation = 0.1;
        f.column_distance = 50;
        f.column_runs = 1;
        f.longest_row = entries + 9;
        return plan::mxd(f).kernel;
    };
    EXPECT_EQ(chosen(324, 82), "csr_merge") << "qc324";
    EXPECT_EQ(chosen(4884, 82), "csr_tiled");
    EXPECT_EQ(chosen(500, 64), "csr_tiled");
}

TEST(MxdPlan, OnAGpuTurnsWhatLiesByColumns) {
    plan::mxd_facts f = square(1000, 8000, 16);
    f.on_device = true;
    f.pinned = "csr_tiled";
    EXPECT_FALSE(plan::mxd(f).packs_second || plan::mxd(f).stages_result);
    f.b_order = f.c_order = dense_order::column_major;
    f.accumulates = f.adds = true;
    const dense_plan both = plan::mxd(f);
    EXPECT_TRUE(both.packs_second && both.stages_result && both.accumulates);
    EXPECT_EQ(both.workspace_bytes, 2 * plan::dense_copy(1000, 16, 8));
    f.adds = false;
    EXPECT_FALSE(plan::mxd(f).accumulates) << "the host's pass does";
    f.columns = 1;
    EXPECT_FALSE(plan::mxd(f).packs_second) << "one column is one column";
}

TEST(MxdPlan, PacksAColumnMajorBThatIsMetOftenAndFits) {
    auto f = square(1000, 8000, 16);
    EXPECT_FALSE(plan::mxd(f).packs_second);
    EXPECT_EQ(plan::mxd(f).workspace_bytes, 0u);
    f.b_order = dense_order::column_major;
    EXPECT_TRUE(plan::mxd(f).packs_second);
    EXPECT_EQ(plan::mxd(f).workspace_bytes, plan::dense_copy(1000, 16, 8));
    f.memory_left = 100000;
    EXPECT_FALSE(plan::mxd(f).packs_second) << "128,000 bytes do not fit";
    f.memory_left = 128000;
    EXPECT_TRUE(plan::mxd(f).packs_second);
    f.nnz = 1900;
    EXPECT_FALSE(plan::mxd(f).packs_second) << "read in place";
    f.nnz = 8000;
    f.columns = 1;
    EXPECT_FALSE(plan::mxd(f).packs_second) << "one column is one column";
    f.b_order = dense_order::row_major;
    f.convert_b = true;
    f.memory_left = 1;
    EXPECT_TRUE(plan::mxd(f).packs_second) << "there is no other way";
}

TEST(MxdPlan, AddsInTheKernelOnlyWithTheMonoidsOwnOperator) {
    auto f = square(1000, 8000, 16);
    f.accumulates = true;
    EXPECT_TRUE(plan::mxd(f).stages_result);
    EXPECT_FALSE(plan::mxd(f).accumulates);
    EXPECT_EQ(plan::mxd(f).workspace_bytes, plan::dense_copy(1000, 16, 8));
    f.adds = true;
    EXPECT_FALSE(plan::mxd(f).stages_result);
    EXPECT_TRUE(plan::mxd(f).accumulates);
    f.convert_c = true;
    EXPECT_TRUE(plan::mxd(f).stages_result);
    EXPECT_FALSE(plan::mxd(f).accumulates);
    f.convert_c = f.accumulates = f.adds = false;
    f.pinned = "csr_merge";
    EXPECT_EQ(plan::mxd(f).workspace_bytes, plan::mxd_merge_workspace(16, 8, 2));
    f.transposed = true;
    EXPECT_TRUE(plan::mxd(f).builds_transpose);
    f.transpose_ready = true;
    EXPECT_TRUE(plan::mxd(f).reads_transpose);
    EXPECT_FALSE(plan::mxd(f).builds_transpose);
    EXPECT_NE(to_string(plan::mxd(f)).find("mxd/csr_merge compiled, reads the transpose"), std::string::npos);
}

TEST(SddmmPlan, PacksWhatLiesAcrossTheSums) {
    plan::sddmm_facts f;
    f.rows = 100;
    f.inner = 32;
    f.columns = 200;
    f.places = 1000;
    EXPECT_EQ(plan::sddmm(f).kernel, "row_dot");
    EXPECT_EQ(plan::sddmm(f).workspace_bytes, 0u);
    f.y_by_columns = false;
    EXPECT_TRUE(plan::sddmm(f).packs_second);
    EXPECT_EQ(plan::sddmm(f).workspace_bytes, plan::dense_copy(32, 200, 8));
    f.x_by_rows = false;
    EXPECT_TRUE(plan::sddmm(f).packs_first);
    f.memory_left = plan::dense_copy(32, 200, 8);
    EXPECT_TRUE(plan::sddmm(f).packs_second);
    EXPECT_FALSE(plan::sddmm(f).packs_first) << "the limit";
    f.places = 150;
    EXPECT_FALSE(plan::sddmm(f).packs_second) << "few places";
    f.convert_x = true;
    EXPECT_TRUE(plan::sddmm(f).packs_first);
    f.compiled = false;
    EXPECT_EQ(plan::sddmm(f).kernel, "reference");
    EXPECT_EQ(plan::sddmm(f).tier, tier::generic);
    EXPECT_EQ(plan::sddmm(f).workspace_bytes, 0u);
}

}  // namespace
}  // namespace nz::test
