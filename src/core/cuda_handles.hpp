// What the CUDA run time makes and has to be told to destroy, with owners. For .cu files.
#pragma once

#include "core/cuda_check.hpp"

#include <memory>
#include <type_traits>

namespace nz {

struct destroy_handle {
    void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
    void operator()(cudaMemPool_t pool) const { cudaMemPoolDestroy(pool); }
    void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
    void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
};
template <class Handle>
using owned = std::unique_ptr<std::remove_pointer_t<Handle>, destroy_handle>;

/// The handle that make(address of one) creates.
template <class Handle, class Make>
owned<Handle> made_by(Make make, std::source_location where = std::source_location::current()) {
    Handle handle = nullptr;
    const cudaError_t status = make(&handle);
    owned<Handle> owner(handle);
    check(status, where);
    return owner;
}
inline owned<cudaStream_t> new_stream() {
    return made_by<cudaStream_t>(
        [](cudaStream_t* at) { return cudaStreamCreateWithFlags(at, cudaStreamNonBlocking); });
}
/// Of a point on a stream, whose time is of no interest.
inline owned<cudaEvent_t> new_event() {
    return made_by<cudaEvent_t>(
        [](cudaEvent_t* at) { return cudaEventCreateWithFlags(at, cudaEventDisableTiming); });
}

}  // namespace nz
