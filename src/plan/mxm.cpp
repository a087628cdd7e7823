#include "plan/mxm.hpp"

#include "plan/mxm_band_workspace.hpp"
#include "plan/mxm_chunks.hpp"
#include "plan/mxm_device_workspace.hpp"
#include "plan/mxm_sort_workspace.hpp"
#include "plan/mxm_workspace.hpp"

namespace nz::plan {
namespace {

struct choice {
    std::string_view kernel, reason;
};

double mean(offset_t entries, index_t lists) {
    return lists ? static_cast<double>(entries) / static_cast<double>(lists) : 0;
}

// Under a mask that lists what may be written: dot products of the places listed, or the rows' products filtered.
choice choose_masked(const mxm_facts& f) {
    const double steps = f.dot_steps >= 0 ? static_cast<double>(f.dot_steps)
                                          : static_cast<double>(f.mask_entries) *
                                                (mean(f.a_entries, f.rows) + mean(f.b_entries, f.columns));
    const double building =
        columns_cost * (static_cast<double>(f.b_entries) + static_cast<double>(f.columns));
    const double dots = steps * dot_step_cost + (f.columns_ready ? 0 : building);
    // masked_row clears a sum for every column and thread.
    const double met = static_cast<double>(std::max<offset_t>(f.products, 0) + f.mask_entries + f.rows);
    if (f.products >= 0 && static_cast<double>(f.columns) > masked_row_columns * met && dots > met)
        return {"hash", "columns beyond what products and mask are: a table for each row, then the mask"};
    if (!f.complement && f.products >= 0 && dots < static_cast<double>(f.products))
        return {"masked_dot", "the mask lists few places: a dot product for each"};
    return {"masked_row", f.complement ? "products that the mask bars are passed over"
                                       : "the mask lists many places: other products are passed over"};
}

// What does not fit any memory, without overflow in sums of it.
constexpr std::size_t most_bytes = std::size_t{1} << 62;

// Whether a sum for every column pays.
bool sums_serve(const mxm_facts& f) {
    const auto bytes = static_cast<double>(f.columns) * static_cast<double>(f.value_bytes);
    const double row = f.row_of_product >= 0 ? f.row_of_product : mean(f.products, f.rows);
    if (bytes <= static_cast<double>(dense_any_bytes)) return true;
    if (bytes <= static_cast<double>(dense_sums_bytes)) return f.products < 0 || row >= dense_row_least;
    return bytes <= std::min(static_cast<double>(dense_most_bytes), dense_product_bytes * row);
}

bool composes(const mxm_facts& f) {
    return f.composable && (f.products < 0 || composed_threads(f.products, f.columns, f.threads) > 0);
}

choice choose(const mxm_facts& f) {
    if (composes(f))
        return {"composed",
                "not compiled as a whole: the places first, then products formed and summed by blocks"};
    if (!f.compiled)
        return {"generic", "this semiring and type are not compiled: an indirect call a product"};
    if (f.masked) return choose_masked(f);
    const bool sums = sums_serve(f);
    if (f.band_share >= band_rows && mean(f.products, f.rows) >= band_products)
        return {"dia_dia", "bands on both sides: by diagonals, many rows at a time"};
    if (sums)
        return {"dense_row", "a sum for every column fits the cache, or is met again: rows come out sorted"};
    if (f.products >= 0 && mean(f.products, f.rows) >= dense_row_products)
        return {"dense_row", "rows of many products: each place is met again"};
    return {"hash", "many columns and short rows: a table for each row"};
}

std::size_t workspace(std::string_view kernel, const mxm_facts& f, bool packs) {
    const std::size_t one = mxm_thread_workspace(kernel, f), threads = static_cast<std::size_t>(f.threads);
    if (one > most_bytes / threads) return most_bytes;
    return threads * one + (packs ? packed_words(f.words, f.inner) : 0);
}

// On a GPU, once products are counted; B's columns, where they have to be built, are not held against it, so that what is at hand
// by chance changes no bits (but where they alone are there).
bool dots_are_fewer(const mxm_facts& f) {
    if (f.products < 0) return false;
    const auto rows = static_cast<double>(f.rows), products = static_cast<double>(f.products);
    const double steps = f.dot_steps >= 0
                             ? static_cast<double>(f.dot_steps)
                             : static_cast<double>(f.mask_entries) * mean(f.b_entries, f.columns);
    const double product = f.huge_rows > 0    ? device_huge_product
                           : f.large_rows > 0 ? device_large_product
                                              : device_sorted_product;
    return device_dot_call + device_dot_row * rows + device_dot_step * steps <
           (f.large_rows > 0 ? device_large_rows : 0) + device_masked_row * rows + product * products;
}

mxm_plan on_gpu(const mxm_facts& f) {
    mxm_plan plan;
    plan.operation = "mxm";
    const bool columns_alone = f.columns_ready && !f.rows_ready,
               dots = f.masked && !f.complement && (columns_alone || dots_are_fewer(f));
    const bool band = f.band_share >= device_band_rows;
    plan.kernel = !f.pinned.empty() ? f.pinned
                  : dots            ? "masked_dot"
                  : band            ? "dia_dia"
                  : f.masked        ? "masked_row"
                                    : "hash";
    plan.reason = !f.pinned.empty()       ? "pinned"
                  : dots && columns_alone ? "a dot product for each place of the mask: B is there by columns"
                  : dots ? "a dot product for each place of the mask: less work than all products of its rows"
                  : band ? "bands on both sides: by diagonals, many rows at a time"
                  : f.masked ? "as hash, passing over what the mask bars"
                             : "short rows sorted, long ones in tables of words, by bins";
    plan.tier = tier::compiled;
    plan.on_device = true;
    plan.products = f.products;
    plan.reads_columns = plan.kernel == "masked_dot";
    plan.builds_columns = plan.reads_columns && !f.columns_ready;
    if (plan.reads_columns) {
        plan.workspace_bytes = masked_dot_device_workspace(f.rows, f.mask_entries, f.value_bytes);
        return plan;
    }
    if (plan.kernel == "two_level_sort") {
        const offset_t as_they_come = std::max<offset_t>(f.products, 0) - f.ranged_products;
        plan.workspace_bytes =
            mxm_device_rows(f.rows, f.scan_bytes) + mxm_sort_entry_bytes(f.rows, f.a_entries, 0) +
            mxm_sort_bytes(as_they_come) + mxm_range_bytes(f.range_tiles, f.range_slots) +
            static_cast<std::size_t>(f.cut_products) * sizeof(index_t) +
            mxm_cut_bytes(f.cut_places, f.cut_rows, f.cut_runs, as_they_come, f.columns, f.value_bytes, 0);
        return plan;
    }
    plan.workspace_bytes =
        mxm_device_rows(f.rows, f.scan_bytes) +
        global_tables(f.columns, std::max<offset_t>(f.large_rows, 0)) * column_table_bytes(f.columns) +
        (f.large_rows > 0 ? mxm_pair_bytes(f.b_entries, f.inner) : 0) +
        (plan.kernel == "dia_dia" ? mxm_band_bytes(f.rows, f.inner) : 0);
    return plan;
}

}  // namespace

std::size_t mxm_thread_workspace(std::string_view kernel, const mxm_facts& f) noexcept {
    // Several numbers of 8 bytes a product: rows beyond this many do not fit memory, and must not overflow.
    if (f.most_products > offset_t{1} << 56 && kernel == "two_level_sort") return most_bytes;
    if (kernel == "hash") return hash_workspace(f.most_products, f.columns, f.value_bytes);
    if (kernel == "dense_row") return dense_row_workspace(f.columns, f.value_bytes);
    if (kernel == "dia_dia") return dia_dia_workspace(f.most_products, f.inner, f.columns, f.value_bytes);
    if (kernel == "row_row" || kernel == "column_column")
        return row_row_workspace(f.most_entries, f.value_bytes);
    if (kernel == "column_row") return column_row_workspace(f.most_entries, f.value_bytes);
    if (kernel == "two_level_sort") return two_level_workspace(f.most_products, f.value_bytes);
    if (kernel == "masked_row") return masked_row_workspace(f.columns, f.value_bytes);
    return 0;
}

bool mxm_needs_words(const mxm_facts& f) noexcept {
    return f.words < 0 && mxm(f).kernel == "dense_row" &&
           static_cast<double>(f.products) > packed_reuse * static_cast<double>(f.b_entries);
}

mxm_plan mxm(const mxm_facts& f) noexcept {
    if (mxm_on_device(f)) return on_gpu(f);
    const auto [kernel, reason] = f.pinned.empty() ? choose(f) : choice{f.pinned, "pinned"};
    mxm_plan plan;
    plan.operation = "mxm";
    plan.kernel = kernel;
    plan.reason = reason;
    const bool generic = kernel == "reference" || kernel == "generic" || kernel == "composed";
    plan.tier = generic ? tier::generic : tier::compiled;
    plan.products = f.products;
    if (plan.tier == tier::generic) return plan;
    plan.packs_words = kernel == "dense_row" && f.words >= 0 &&
                       static_cast<double>(f.words) <= packed_share * static_cast<double>(f.b_entries);
    plan.reads_columns = kernel == "masked_dot" || kernel == "column_column";
    plan.builds_columns = plan.reads_columns && !f.columns_ready;
    if (f.products >= 0) plan.workspace_bytes = workspace(kernel, f, plan.packs_words);
    return plan;
}

}  // namespace nz::plan
