#include "kernels/kernel_ids.hpp"

namespace nz::kernels {

std::string known_ids(std::string_view operation) {
    std::string list;
    for (const kernel_id& k : kernel_ids)
        if (k.operation == operation) list.append(list.empty() ? "" : ", ").append(k.id);
    return list;
}

bool known_on_cpu(std::string_view operation, std::string_view id) {
    for (const kernel_id& k : kernel_ids)
        if (k.operation == operation && k.id == id) return k.cpu == presence::here;
    return false;
}
std::string_view static_id(std::string_view operation, std::string_view id) {
    for (const kernel_id& k : kernel_ids)
        if (k.operation == operation && k.id == id) return k.id;
    return id == "reference" ? "reference" : id;
}
bool known_on_cuda(std::string_view operation, std::string_view id) {
    for (const kernel_id& k : kernel_ids)
        if (k.operation == operation && k.id == id) return k.cuda == presence::here;
    return false;
}

}  // namespace nz::kernels
