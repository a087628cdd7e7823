// A check of a matching by its definition, edge by edge.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <vector>

namespace nz {
namespace {

// Mates with -1 for none, or what is wrong with them.
std::string read(const char* side, const vector& mates, offset_t others, std::vector<std::int64_t>& mate) {
    for (offset_t v = 0; v < mates.size(); ++v) {
        const auto x = mates.get(v);
        if (!x) return fmt::format("{} {} has neither a mate nor -1", side, v);
        mate.push_back(x->get<std::int64_t>());
        if (mate.back() < -1 || mate.back() >= others)
            return fmt::format("{} {} is matched with {}, which is not there", side, v, mate.back());
    }
    return {};
}

}  // namespace

std::string validate_matching(const context&, const matrix& a, const vector& of_rows,
                              const vector& of_columns) {
    require<dimension_mismatch>(
        of_rows.size() == a.rows() && of_columns.size() == a.columns(),
        "validate_matching: the matrix is {} x {}, there are mates for {} rows and {} columns", a.rows(),
        a.columns(), of_rows.size(), of_columns.size());
    const storage::csr& rows = a.body().rows();
    std::vector<std::int64_t> of_row, of_column;
    if (auto wrong = read("row", of_rows, a.columns(), of_row); !wrong.empty()) return wrong;
    if (auto wrong = read("column", of_columns, a.rows(), of_column); !wrong.empty()) return wrong;
    for (std::size_t j = 0; j < of_column.size(); ++j)
        if (of_column[j] >= 0 && of_row[of_column[j]] != static_cast<std::int64_t>(j))
            return fmt::format("column {} is matched with row {}, but not that row with it", j, of_column[j]);
    for (index_t i = 0; i < rows.rows; ++i) {
        if (of_row[i] >= 0 && of_column[of_row[i]] != i)
            return fmt::format("row {} is matched with column {}, but not that column with it", i, of_row[i]);
        bool joined = of_row[i] < 0;
        for (offset_t k = rows.offset(i); k < rows.offset(i + offset_t{1}); ++k) {
            const index_t j = rows.index_data()[k];
            joined = joined || j == of_row[i];
            if (of_row[i] < 0 && of_column[j] < 0)
                return fmt::format(
                    "row {} and column {} are joined and have no mates: the matching is not maximal", i, j);
        }
        if (!joined) return fmt::format("row {} is matched with column {} without an edge", i, of_row[i]);
    }
    return {};
}

}  // namespace nz
