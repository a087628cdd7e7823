// Conversions on a GPU in a build without CUDA (left out of the others): no context has a GPU, so nobody gets here.
#include "core/checks.hpp"
#include "storage/device_assemble.hpp"
#include "storage/device_edges.hpp"
#include "storage/device_facts.hpp"
#include "storage/device_products.hpp"

namespace nz::storage {
namespace {

[[noreturn]] void no_device() { fail<not_supported>("this build has no CUDA backend"); }

}  // namespace

device_check check_on_device(const context&, const device_rows&) { no_device(); }
buffer narrowed_on_device(const context&, const std::int64_t*, std::size_t) { no_device(); }
buffer converted_on_device(const context&, const void*, dtype, dtype, offset_t, const bits::word*) {
    no_device();
}
buffer empty_rows_on_device(const context&, const device_rows&) { no_device(); }
device_balance balance_on_device(const context&, const csr&, const device_rows&) { no_device(); }
buffer rows_of_entries(const context&, const device_rows&) { no_device(); }
offset_t longest_row_on_device(const context&, const device_rows&) { no_device(); }
std::vector<sampled_row> sample_on_device(const context&, const device_rows&) { no_device(); }
offset_t count_products(const context&, const device_rows&, const device_rows&) { no_device(); }
product_list list_products(const context&, const device_rows&, const device_rows&, const device_rows&) {
    no_device();
}
bool take_products(const context&, const device_rows&, const device_rows&, const device_rows&, bool, offset_t,
                   const std::function<void(const placed_products&)>&) {
    no_device();
}
buffer values_of_products(const context&, const placed_products&, bool, const void*, std::size_t) {
    no_device();
}
std::uint64_t print_on_device(const context&, const device_rows&) { no_device(); }
std::optional<device_assembled> assemble_on_device(const context&, const device_tuples&, const binary_op&) {
    no_device();
}
bool sums_places(binary_id, dtype) { no_device(); }
void sum_places(const context&, binary_id, dtype, const std::uint32_t*, offset_t, offset_t, const void*,
                void*) {
    no_device();
}
matrix_facts facts_on_device(const context&, const device_rows&, const device_rows*) { no_device(); }
length_survey survey_lengths_on_device(const context&, const void*, dtype, dtype, offset_t) { no_device(); }
buffer joined_on_device(const context&, const index_t*, const void*, std::size_t, bool, offset_t) {
    no_device();
}
device_transpose transpose_on_device(const context&, const device_rows&, const void*, std::size_t) {
    no_device();
}

}  // namespace nz::storage
