#include "storage/forms.hpp"

namespace nz::storage {

form_values values_for_form(const context& ctx, const csr& a, std::optional<dtype> type) {
    form_values v;
    if (!type) return v;
    if (a.kind == value_kind::full) {
        v.each_bytes = size_of(*type);
        if (*type != a.type) v.converted = convert_array(ctx, a.values, a.type, *type, a.nnz);
        v.each = *type != a.type ? v.converted.data() : a.values.data();
    } else {
        v.one = buffer(ctx.memory(), sizeof(element));
        store(v.one.data(), *type, 0, cast(a.nnz ? a.value(0) : element{}, a.type, *type));
    }
    return v;
}

}  // namespace nz::storage
