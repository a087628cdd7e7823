// Launches of kernels that follow close on another, and of kernels in clusters of blocks: of those whose blocks are all
// resident at once, and of others.
#pragma once

#include "core/cuda_check.hpp"

#include <algorithm>
#include <atomic>

namespace nz::kernels::cuda {

/// Of the one device there is: asked once.
template <cudaDeviceAttr Attribute>
int attribute_here() {
    static const int value = [] {
        int device = 0, found = 0;
        check(cudaGetDevice(&device));
        check(cudaDeviceGetAttribute(&found, Attribute, device));
        return found;
    }();
    return value;
}
inline int multiprocessors_here() { return attribute_here<cudaDevAttrMultiProcessorCount>(); }
/// Dynamic shared memory that a block may ask for.
inline int most_shared_memory_here() { return attribute_here<cudaDevAttrMaxSharedMemoryPerBlockOptin>(); }

/// Launches a kernel whose blocks may begin while the kernel before it on the stream still runs: it must call
/// cudaGridDependencySynchronize before it reads or writes what others use (programmatic dependent launch). Not `early`: plainly.
template <class... Parameters, class... Arguments>
void launch_close(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, cudaStream_t stream,
                  bool early, Arguments&&... arguments) {
    cudaLaunchAttribute close{};
    close.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    close.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.stream = stream;
    config.attrs = &close;
    config.numAttrs = early;
    check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
}

struct resident_shape {
    int threads;                ///< of a block
    int cluster_blocks;         ///< blocks of a cluster; over 8 only where the part grants it
    int blocks_an_sm;           ///< what registers and shared memory allow
    int shared_bytes = 0;       ///< dynamic, of this launch
    int most_shared_bytes = 0;  ///< of any launch of the kernel
    /// A grid of one cluster of so many blocks, which its own barrier holds together: a plain launch. 0: all there is room for.
    int only_blocks = 0;
    int most_blocks = 0;  ///< in a grid without clusters; 0: as many as there is room for
};

/// A cooperative launch in clusters, as many as the part holds at once: asked once a kernel and size of cluster. Or one cluster alone.
template <auto Kernel, class Arguments>
void launch_resident(const Arguments& arguments, const resident_shape& shape, int multiprocessors,
                     cudaStream_t stream) {
    constexpr int portable_cluster = 8, largest_cluster = 16;
    cudaLaunchAttribute attributes[2];
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim = {static_cast<unsigned>(shape.cluster_blocks), 1, 1};
    attributes[1].id = cudaLaunchAttributeCooperative;
    attributes[1].val.cooperative = 1;
    cudaLaunchConfig_t config{};
    config.blockDim = dim3(static_cast<unsigned>(shape.threads));
    config.stream = stream;
    config.attrs = attributes;
    static std::atomic<int> known[largest_cluster + 1];  // of the one device there is; 0: not asked yet
    int clusters = known[shape.cluster_blocks];
    if (clusters == 0) {
        if (shape.most_shared_bytes)
            check(cudaFuncSetAttribute(Kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       shape.most_shared_bytes));
        if (shape.cluster_blocks > portable_cluster)
            check(cudaFuncSetAttribute(Kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        config.dynamicSmemBytes = static_cast<std::size_t>(shape.most_shared_bytes);
        config.gridDim = dim3(static_cast<unsigned>(shape.blocks_an_sm * multiprocessors /
                                                    shape.cluster_blocks * shape.cluster_blocks));
        config.numAttrs = 1;
        check(cudaOccupancyMaxActiveClusters(&clusters, Kernel, &config));
        known[shape.cluster_blocks] = clusters;
    }
    config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
    if (shape.only_blocks) {
        attributes[0].val.clusterDim.x = static_cast<unsigned>(shape.only_blocks);
        config.gridDim = dim3(static_cast<unsigned>(shape.only_blocks));
        config.numAttrs = 1;
    } else {
        const int all = clusters * shape.cluster_blocks;
        config.gridDim =
            dim3(static_cast<unsigned>(shape.most_blocks ? std::min(all, shape.most_blocks) : all));
        config.numAttrs = 2;
    }
    check(cudaLaunchKernelEx(&config, Kernel, arguments));
}

/// Clusters that know nothing of each other, as many as asked for: those that there is no room for follow.
template <auto Kernel, class Arguments>
void launch_clusters(const Arguments& arguments, int threads, int cluster_blocks, int clusters,
                     cudaStream_t stream) {
    static const bool any_size = [] {  // over 8 blocks
        check(cudaFuncSetAttribute(Kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        return true;
    }();
    static_cast<void>(any_size);
    cudaLaunchAttribute shape;
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim = {static_cast<unsigned>(cluster_blocks), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(clusters * cluster_blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.stream = stream;
    config.attrs = &shape;
    config.numAttrs = 1;
    check(cudaLaunchKernelEx(&config, Kernel, arguments));
}

}  // namespace nz::kernels::cuda
