#include "peers/cusparse.hpp"

#include "core/buffer.hpp"
#include "core/device.hpp"
#include "harness.hpp"

#define DISABLE_CUSPARSE_DEPRECATED  // csr2bsr and bsrmv have no successors that take blocks
#include <cusparse.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <limits>

namespace nz::bench {
namespace {

// The functions that are used, by the types that the header gives them. `preprocess` came with 12.4.
struct library {
    std::string why_absent;
    decltype(&cusparseCreate) create = nullptr;
    decltype(&cusparseDestroy) destroy = nullptr;
    decltype(&cusparseSetStream) set_stream = nullptr;
    decltype(&cusparseGetProperty) property = nullptr;
    decltype(&cusparseGetErrorString) error_string = nullptr;
    decltype(&cusparseCreateCsr) create_csr = nullptr;
    decltype(&cusparseDestroySpMat) destroy_matrix = nullptr;
    decltype(&cusparseCreateDnVec) create_vector = nullptr;
    decltype(&cusparseDestroyDnVec) destroy_vector = nullptr;
    decltype(&cusparseSpMV_bufferSize) buffer_size = nullptr;
    decltype(&cusparseSpMV) spmv = nullptr;
    decltype(&cusparseSpMV) preprocess = nullptr;
    decltype(&cusparseCreateMatDescr) create_description = nullptr;
    decltype(&cusparseDestroyMatDescr) destroy_description = nullptr;
    decltype(&cusparseXcsr2bsrNnz) count_blocks = nullptr;
    decltype(&cusparseDcsr2bsr) make_blocks = nullptr;
    decltype(&cusparseDbsrmv) multiply_blocks = nullptr;
    decltype(&cusparseDcsrgeam2_bufferSizeExt) add_buffer_size = nullptr;
    decltype(&cusparseXcsrgeam2Nnz) add_count = nullptr;
    decltype(&cusparseDcsrgeam2) add = nullptr;
    decltype(&cusparseSpGEMM_createDescr) create_multiply = nullptr;
    decltype(&cusparseSpGEMM_destroyDescr) destroy_multiply = nullptr;
    decltype(&cusparseSpGEMM_workEstimation) multiply_estimate = nullptr;
    decltype(&cusparseSpGEMM_compute) multiply_compute = nullptr;
    decltype(&cusparseSpGEMM_copy) multiply_copy = nullptr;
    decltype(&cusparseSpMatGetSize) matrix_size = nullptr;
    decltype(&cusparseCsrSetPointers) set_pointers = nullptr;
    decltype(&cusparseCreateDnMat) create_dense = nullptr;
    decltype(&cusparseDestroyDnMat) destroy_dense = nullptr;
    decltype(&cusparseSpMM_bufferSize) spmm_buffer_size = nullptr;
    decltype(&cusparseSpMM_preprocess) spmm_preprocess = nullptr;
    decltype(&cusparseSpMM) spmm = nullptr;
    decltype(&cusparseSDDMM_bufferSize) sddmm_buffer_size = nullptr;
    decltype(&cusparseSDDMM_preprocess) sddmm_preprocess = nullptr;
    decltype(&cusparseSDDMM) sddmm = nullptr;
};

constexpr const char* names[] = {"libcusparse.so.13",
                                 "libcusparse.so.12",
                                 "libcusparse.so",
                                 "/usr/local/cuda/lib64/libcusparse.so",
                                 "/usr/local/cuda/lib64/libcusparse.so.12",
                                 "/usr/local/cuda/lib/libcusparse.so.12"};

void* open_any(std::string& tried) {
    for (const char* name : names) {
        if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
        tried += fmt::format("{}{}", tried.empty() ? "" : ", ", name);
    }
    return nullptr;
}

library load_library() {
    library l;
    std::string tried;
    void* handle = open_any(tried);
    if (!handle) {
        l.why_absent = fmt::format(
            "none of {} can be loaded: put the folder of libcusparse into LD_LIBRARY_PATH", tried);
        return l;
    }
    const auto find = [&]<class F>(F& function, const char* name, bool needed = true) {
        function = reinterpret_cast<F>(dlsym(handle, name));
        if (!function && needed) l.why_absent = fmt::format("the libcusparse that was found has no {}", name);
    };
    find(l.create, "cusparseCreate");
    find(l.destroy, "cusparseDestroy");
    find(l.set_stream, "cusparseSetStream");
    find(l.property, "cusparseGetProperty");
    find(l.error_string, "cusparseGetErrorString");
    find(l.create_csr, "cusparseCreateCsr");
    find(l.destroy_matrix, "cusparseDestroySpMat");
    find(l.create_vector, "cusparseCreateDnVec");
    find(l.destroy_vector, "cusparseDestroyDnVec");
    find(l.buffer_size, "cusparseSpMV_bufferSize");
    find(l.spmv, "cusparseSpMV");
    find(l.preprocess, "cusparseSpMV_preprocess", false);
    find(l.create_description, "cusparseCreateMatDescr");
    find(l.destroy_description, "cusparseDestroyMatDescr");
    find(l.count_blocks, "cusparseXcsr2bsrNnz", false);
    find(l.make_blocks, "cusparseDcsr2bsr", false);
    find(l.multiply_blocks, "cusparseDbsrmv", false);
    find(l.add_buffer_size, "cusparseDcsrgeam2_bufferSizeExt");
    find(l.add_count, "cusparseXcsrgeam2Nnz");
    find(l.add, "cusparseDcsrgeam2");
    find(l.create_multiply, "cusparseSpGEMM_createDescr");
    find(l.destroy_multiply, "cusparseSpGEMM_destroyDescr");
    find(l.multiply_estimate, "cusparseSpGEMM_workEstimation");
    find(l.multiply_compute, "cusparseSpGEMM_compute");
    find(l.multiply_copy, "cusparseSpGEMM_copy");
    find(l.matrix_size, "cusparseSpMatGetSize");
    find(l.set_pointers, "cusparseCsrSetPointers");
    find(l.create_dense, "cusparseCreateDnMat");
    find(l.destroy_dense, "cusparseDestroyDnMat");
    find(l.spmm_buffer_size, "cusparseSpMM_bufferSize");
    find(l.spmm_preprocess, "cusparseSpMM_preprocess");
    find(l.spmm, "cusparseSpMM");
    find(l.sddmm_buffer_size, "cusparseSDDMM_bufferSize");
    find(l.sddmm_preprocess, "cusparseSDDMM_preprocess");
    find(l.sddmm, "cusparseSDDMM");
    return l;
}

const library& loaded() {
    static const library l = load_library();
    return l;
}

void check(cusparseStatus_t status, const char* what) {
    if (status != CUSPARSE_STATUS_SUCCESS)
        throw device_error(fmt::format("{}: cuSPARSE says '{}'", what, loaded().error_string(status)));
}

// A product described to the library. Each variant has a description of its own: an analysis leaves its marks on it.
class product {
public:
    product(const context& gpu, const device_spmv& p, const cusparse_variant& v)
        : l_(loaded()), algorithm_(static_cast<cusparseSpMVAlg_t>(v.algorithm)) {
        type_ = p.type == dtype::float64 ? CUDA_R_64F : CUDA_R_32F;
        if (p.type == dtype::float32) {
            const float one = 1, zero = 0;
            std::memcpy(&one_, &one, sizeof one);
            std::memcpy(&zero_, &zero, sizeof zero);
        }
        check(l_.create(&handle_), "cusparseCreate");
        check(l_.set_stream(handle_, static_cast<cudaStream_t>(gpu.gpu()->stream())), "cusparseSetStream");
        check(l_.create_csr(&a_, p.rows, p.columns, p.entries, p.offsets, p.indices, p.values,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_),
              "cusparseCreateCsr");
        check(l_.create_vector(&x_, p.columns, p.x, type_), "cusparseCreateDnVec");
        check(l_.create_vector(&y_, p.rows, p.y, type_), "cusparseCreateDnVec");
        std::size_t bytes = 0;
        check(l_.buffer_size(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, a_, x_, &zero_, y_, type_,
                             algorithm_, &bytes),
              "cusparseSpMV_bufferSize");
        workspace_ = buffer(gpu.device_memory(), std::max<std::size_t>(bytes, 1));
    }
    ~product() {
        if (x_) l_.destroy_vector(x_);
        if (y_) l_.destroy_vector(y_);
        if (a_) l_.destroy_matrix(a_);
        if (handle_) l_.destroy(handle_);
    }
    product(const product&) = delete;
    product& operator=(const product&) = delete;

    void analyse() { call(l_.preprocess, "cusparseSpMV_preprocess"); }
    void run() { call(l_.spmv, "cusparseSpMV"); }

private:
    void call(decltype(&cusparseSpMV) function, const char* name) {
        check(function(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, a_, x_, &zero_, y_, type_,
                       algorithm_, workspace_.data()),
              name);
    }

    const library& l_;
    cusparseSpMVAlg_t algorithm_;
    cudaDataType type_ = CUDA_R_64F;
    double one_ = 1, zero_ = 0;
    cusparseHandle_t handle_ = nullptr;
    cusparseSpMatDescr_t a_ = nullptr;
    cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
    buffer workspace_;
};

// The matrix in blocks, and the product with them.
class block_product {
public:
    block_product(const context& gpu, const device_spmv& p, int block)
        : l_(loaded()),
          p_(p),
          block_(block),
          rows_(static_cast<int>((p.rows + block - 1) / block)),
          columns_(static_cast<int>((p.columns + block - 1) / block)) {
        if (!l_.count_blocks || !l_.make_blocks || !l_.multiply_blocks)
            throw not_supported("this cuSPARSE has no csr2bsr or bsrmv");
        check(l_.create(&handle_), "cusparseCreate");
        check(l_.set_stream(handle_, static_cast<cudaStream_t>(gpu.gpu()->stream())), "cusparseSetStream");
        check(l_.create_description(&description_), "cusparseCreateMatDescr");
        const auto of = [&](std::size_t count, std::size_t bytes) {
            return buffer(gpu.device_memory(), count * bytes);
        };
        offsets_ = of(static_cast<std::size_t>(rows_) + 1, sizeof(int));
        check(l_.count_blocks(handle_, by_rows, m(), n(), description_, ints(p.offsets), ints(p.indices),
                              block, description_, offsets_.as<int>(), &blocks_),
              "cusparseXcsr2bsrNnz");
        gpu.gpu()->wait();
        const auto count = static_cast<std::size_t>(blocks_);
        if (!fits()) return;
        indices_ = of(count, sizeof(int));
        values_ = of(count * static_cast<std::size_t>(block * block), sizeof(double));
        check(l_.make_blocks(handle_, by_rows, m(), n(), description_, static_cast<const double*>(p.values),
                             ints(p.offsets), ints(p.indices), block, description_, values_.as<double>(),
                             offsets_.as<int>(), indices_.as<int>()),
              "cusparseDcsr2bsr");
    }
    ~block_product() {
        if (description_) l_.destroy_description(description_);
        if (handle_) l_.destroy(handle_);
    }
    block_product(const block_product&) = delete;
    block_product& operator=(const block_product&) = delete;

    /// Places in blocks are 32-bit numbers there: beyond them the product reads what is not its own.
    bool fits() const { return offset_t{blocks_} * block_ * block_ <= std::numeric_limits<int>::max(); }
    void run() {
        check(l_.multiply_blocks(handle_, by_rows, CUSPARSE_OPERATION_NON_TRANSPOSE, rows_, columns_, blocks_,
                                 &one_, description_, values_.as<double>(), offsets_.as<int>(),
                                 indices_.as<int>(), block_, static_cast<const double*>(p_.x), &zero_,
                                 static_cast<double*>(p_.y)),
              "cusparseDbsrmv");
    }

private:
    static constexpr cusparseDirection_t by_rows = CUSPARSE_DIRECTION_ROW;
    static const int* ints(const void* x) { return static_cast<const int*>(x); }
    int m() const { return static_cast<int>(p_.rows); }
    int n() const { return static_cast<int>(p_.columns); }

    const library& l_;
    const device_spmv p_;
    int block_, rows_, columns_, blocks_ = 0;
    double one_ = 1, zero_ = 0;
    cusparseHandle_t handle_ = nullptr;
    cusparseMatDescr_t description_ = nullptr;
    buffer offsets_, indices_, values_;
};

// A sum described to the library.
class sum {
public:
    sum(const context& gpu, const device_add& p) : l_(loaded()), p_(p) {
        check(l_.create(&handle_), "cusparseCreate");
        check(l_.set_stream(handle_, static_cast<cudaStream_t>(gpu.gpu()->stream())), "cusparseSetStream");
        check(l_.create_description(&description_), "cusparseCreateMatDescr");
        std::size_t bytes = 0;
        check(l_.add_buffer_size(handle_, rows(), columns(), &one_, description_, count(p.a), values(p.a),
                                 ints(p.a.offsets), ints(p.a.columns), &one_, description_, count(p.b),
                                 values(p.b), ints(p.b.offsets), ints(p.b.columns), description_,
                                 static_cast<double*>(p.c_values), static_cast<int*>(p.c_offsets),
                                 static_cast<int*>(p.c_columns), &bytes),
              "cusparseDcsrgeam2_bufferSizeExt");
        workspace_ = buffer(gpu.device_memory(), std::max<std::size_t>(bytes, 1));
    }
    ~sum() {
        if (description_) l_.destroy_description(description_);
        if (handle_) l_.destroy(handle_);
    }
    sum(const sum&) = delete;
    sum& operator=(const sum&) = delete;

    /// The entries of C.
    offset_t run() {
        int entries = 0;
        check(l_.add_count(handle_, rows(), columns(), description_, count(p_.a), ints(p_.a.offsets),
                           ints(p_.a.columns), description_, count(p_.b), ints(p_.b.offsets),
                           ints(p_.b.columns), description_, static_cast<int*>(p_.c_offsets), &entries,
                           workspace_.data()),
              "cusparseXcsrgeam2Nnz");
        check(l_.add(handle_, rows(), columns(), &one_, description_, count(p_.a), values(p_.a),
                     ints(p_.a.offsets), ints(p_.a.columns), &one_, description_, count(p_.b), values(p_.b),
                     ints(p_.b.offsets), ints(p_.b.columns), description_, static_cast<double*>(p_.c_values),
                     static_cast<int*>(p_.c_offsets), static_cast<int*>(p_.c_columns), workspace_.data()),
              "cusparseDcsrgeam2");
        return entries;
    }

private:
    int rows() const { return static_cast<int>(p_.rows); }
    int columns() const { return static_cast<int>(p_.columns); }
    static int count(const device_add::side& s) { return static_cast<int>(s.entries); }
    static const int* ints(const void* at) { return static_cast<const int*>(at); }
    static const double* values(const device_add::side& s) { return static_cast<const double*>(s.values); }

    const library& l_;
    const device_add& p_;
    double one_ = 1;
    cusparseHandle_t handle_ = nullptr;
    cusparseMatDescr_t description_ = nullptr;
    buffer workspace_;
};

// A product of a matrix with itself, described to the library.
class square {
public:
    square(const context& gpu, const device_multiply& p) : l_(loaded()), gpu_(gpu) {
        check(l_.create(&handle_), "cusparseCreate");
        check(l_.set_stream(handle_, static_cast<cudaStream_t>(gpu.gpu()->stream())), "cusparseSetStream");
        check(l_.create_csr(&a_, p.rows, p.rows, p.entries, p.offsets, p.columns, p.values,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
              "cusparseCreateCsr");
        offsets_ = buffer(gpu.device_memory(), (static_cast<std::size_t>(p.rows) + 1) * 4);
        check(l_.create_csr(&c_, p.rows, p.rows, 0, offsets_.data(), nullptr, nullptr, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
              "cusparseCreateCsr");
    }
    ~square() {
        if (plan_) l_.destroy_multiply(plan_);
        if (c_) l_.destroy_matrix(c_);
        if (a_) l_.destroy_matrix(a_);
        if (handle_) l_.destroy(handle_);
    }
    square(const square&) = delete;
    square& operator=(const square&) = delete;

    /// Milliseconds of the three steps.
    double run() {
        if (plan_) l_.destroy_multiply(plan_);
        check(l_.create_multiply(&plan_), "cusparseSpGEMM_createDescr");
        double ms = step(l_.multiply_estimate, estimate_, "cusparseSpGEMM_workEstimation");
        ms += step(l_.multiply_compute, compute_, "cusparseSpGEMM_compute");
        std::int64_t rows = 0, columns = 0;
        check(l_.matrix_size(c_, &rows, &columns, &entries_), "cusparseSpMatGetSize");
        const auto n = static_cast<std::size_t>(entries_);
        if (values_.bytes() < n * 8) {
            columns_ = buffer(gpu_.device_memory(), n * 4);
            values_ = buffer(gpu_.device_memory(), n * 8);
        }
        check(l_.set_pointers(c_, offsets_.data(), columns_.data(), values_.data()),
              "cusparseCsrSetPointers");
        gpu_.gpu()->timed([&] {
            check(l_.multiply_copy(handle_, none, none, &one_, a_, a_, &zero_, c_, CUDA_R_64F,
                                   CUSPARSE_SPGEMM_DEFAULT, plan_),
                  "cusparseSpGEMM_copy");
        });
        return ms + gpu_.gpu()->milliseconds();
    }
    offset_t entries() const { return entries_; }

private:
    static constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;

    double step(decltype(&cusparseSpGEMM_compute) function, buffer& memory, const char* name) {
        std::size_t bytes = 0;
        const auto call = [&](void* at) {
            check(function(handle_, none, none, &one_, a_, a_, &zero_, c_, CUDA_R_64F,
                           CUSPARSE_SPGEMM_DEFAULT, plan_, &bytes, at),
                  name);
        };
        gpu_.gpu()->timed([&] { call(nullptr); });
        const double asked = gpu_.gpu()->milliseconds();
        if (memory.bytes() < bytes) memory = buffer(gpu_.device_memory(), bytes);
        gpu_.gpu()->timed([&] { call(memory.data()); });
        return asked + gpu_.gpu()->milliseconds();
    }

    const library& l_;
    const context& gpu_;
    double one_ = 1, zero_ = 0;
    std::int64_t entries_ = 0;
    cusparseHandle_t handle_ = nullptr;
    cusparseSpMatDescr_t a_ = nullptr, c_ = nullptr;
    cusparseSpGEMMDescr_t plan_ = nullptr;
    buffer offsets_, estimate_, compute_, columns_, values_;
};

// A sparse times a dense matrix, described to the library.
class dense_product {
public:
    dense_product(const context& gpu, const device_spmm& p, cusparseSpMMAlg_t algorithm)
        : l_(loaded()), algorithm_(algorithm) {
        type_ = p.a.type == dtype::float64 ? CUDA_R_64F : CUDA_R_32F;
        if (p.a.type == dtype::float32) {
            const float one = 1, zero = 0;
            std::memcpy(&one_, &one, sizeof one);
            std::memcpy(&zero_, &zero, sizeof zero);
        }
        check(l_.create(&handle_), "cusparseCreate");
        check(l_.set_stream(handle_, static_cast<cudaStream_t>(gpu.gpu()->stream())), "cusparseSetStream");
        check(l_.create_csr(&a_, p.a.rows, p.a.columns, p.a.entries, p.a.offsets, p.a.indices, p.a.values,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_),
              "cusparseCreateCsr");
        check(l_.create_dense(&b_, p.a.columns, p.columns, p.columns, p.b, type_, CUSPARSE_ORDER_ROW),
              "cusparseCreateDnMat");
        check(l_.create_dense(&c_, p.a.rows, p.columns, p.columns, p.c, type_, CUSPARSE_ORDER_ROW),
              "cusparseCreateDnMat");
        std::size_t bytes = 0;
        check(l_.spmm_buffer_size(handle_, none, none, &one_, a_, b_, &zero_, c_, type_, algorithm_, &bytes),
              "cusparseSpMM_bufferSize");
        workspace_ = buffer(gpu.device_memory(), std::max<std::size_t>(bytes, 1));
        check(l_.spmm_preprocess(handle_, none, none, &one_, a_, b_, &zero_, c_, type_, algorithm_,
                                 workspace_.data()),
              "cusparseSpMM_preprocess");
    }
    ~dense_product() {
        if (b_) l_.destroy_dense(b_);
        if (c_) l_.destroy_dense(c_);
        if (a_) l_.destroy_matrix(a_);
        if (handle_) l_.destroy(handle_);
    }
    dense_product(const dense_product&) = delete;
    dense_product& operator=(const dense_product&) = delete;

    void run() {
        check(l_.spmm(handle_, none, none, &one_, a_, b_, &zero_, c_, type_, algorithm_, workspace_.data()),
              "cusparseSpMM");
    }

private:
    static constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;

    const library& l_;
    cusparseSpMMAlg_t algorithm_;
    cudaDataType type_ = CUDA_R_64F;
    double one_ = 1, zero_ = 0;
    cusparseHandle_t handle_ = nullptr;
    cusparseSpMatDescr_t a_ = nullptr;
    cusparseDnMatDescr_t b_ = nullptr, c_ = nullptr;
    buffer workspace_;
};

// A product of dense matrices at sparse places, described to the library.
class sampled_product {
public:
    sampled_product(const context& gpu, const device_sddmm& p) : l_(loaded()) {
        type_ = p.places.type == dtype::float64 ? CUDA_R_64F : CUDA_R_32F;
        if (p.places.type == dtype::float32) {
            const float one = 1, zero = 0;
            std::memcpy(&one_, &one, sizeof one);
            std::memcpy(&zero_, &zero, sizeof zero);
        }
        check(l_.create(&handle_), "cusparseCreate");
        check(l_.set_stream(handle_, static_cast<cudaStream_t>(gpu.gpu()->stream())), "cusparseSetStream");
        check(l_.create_csr(&c_, p.places.rows, p.places.columns, p.places.entries, p.places.offsets,
                            p.places.indices, p.places.values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, type_),
              "cusparseCreateCsr");
        check(l_.create_dense(&x_, p.places.rows, p.inner, p.inner, p.x, type_, CUSPARSE_ORDER_ROW),
              "cusparseCreateDnMat");
        check(l_.create_dense(&y_, p.inner, p.places.columns, p.inner, p.y, type_, CUSPARSE_ORDER_COL),
              "cusparseCreateDnMat");
        std::size_t bytes = 0;
        check(l_.sddmm_buffer_size(handle_, none, none, &one_, x_, y_, &zero_, c_, type_,
                                   CUSPARSE_SDDMM_ALG_DEFAULT, &bytes),
              "cusparseSDDMM_bufferSize");
        workspace_ = buffer(gpu.device_memory(), std::max<std::size_t>(bytes, 1));
        check(l_.sddmm_preprocess(handle_, none, none, &one_, x_, y_, &zero_, c_, type_,
                                  CUSPARSE_SDDMM_ALG_DEFAULT, workspace_.data()),
              "cusparseSDDMM_preprocess");
    }
    ~sampled_product() {
        if (x_) l_.destroy_dense(x_);
        if (y_) l_.destroy_dense(y_);
        if (c_) l_.destroy_matrix(c_);
        if (handle_) l_.destroy(handle_);
    }
    sampled_product(const sampled_product&) = delete;
    sampled_product& operator=(const sampled_product&) = delete;

    void run() {
        check(l_.sddmm(handle_, none, none, &one_, x_, y_, &zero_, c_, type_, CUSPARSE_SDDMM_ALG_DEFAULT,
                       workspace_.data()),
              "cusparseSDDMM");
    }

private:
    static constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;

    const library& l_;
    cudaDataType type_ = CUDA_R_64F;
    double one_ = 1, zero_ = 0;
    cusparseHandle_t handle_ = nullptr;
    cusparseSpMatDescr_t c_ = nullptr;
    cusparseDnMatDescr_t x_ = nullptr, y_ = nullptr;
    buffer workspace_;
};

void require_library() {
    if (const std::string why = why_no_cusparse(); !why.empty()) throw not_supported("no cuSPARSE: " + why);
}

// The median of `repeats` runs after one that warms up, each between two events.
template <class Run>
double median_ms(const context& gpu, int repeats, Run run) {
    std::vector<double> times;
    for (int k = 0; k <= repeats; ++k) {
        gpu.gpu()->timed(run);
        const double ms = gpu.gpu()->milliseconds();
        if (k > 0) times.push_back(ms);
    }
    return median(times);
}

}  // namespace

std::string why_no_cusparse() { return loaded().why_absent; }

std::string cusparse_version() {
    if (!why_no_cusparse().empty()) return {};
    int major = 0, minor = 0, patch = 0;
    check(loaded().property(MAJOR_VERSION, &major), "cusparseGetProperty");
    check(loaded().property(MINOR_VERSION, &minor), "cusparseGetProperty");
    check(loaded().property(PATCH_LEVEL, &patch), "cusparseGetProperty");
    return fmt::format("{}.{}.{}", major, minor, patch);
}

std::vector<cusparse_variant> cusparse_variants() {
    std::vector<cusparse_variant> all = {{"default", CUSPARSE_SPMV_ALG_DEFAULT, false},
                                         {"csr_alg1", CUSPARSE_SPMV_CSR_ALG1, false},
                                         {"csr_alg2", CUSPARSE_SPMV_CSR_ALG2, false}};
    if (loaded().preprocess)
        all.insert(all.end(), {{"default_analysed", CUSPARSE_SPMV_ALG_DEFAULT, true},
                               {"csr_alg1_analysed", CUSPARSE_SPMV_CSR_ALG1, true},
                               {"csr_alg2_analysed", CUSPARSE_SPMV_CSR_ALG2, true}});
    return all;
}

cusparse_time cusparse_spmv(const context& gpu, const device_spmv& p, const cusparse_variant& v,
                            int repeats) {
    require_library();
    product product(gpu, p, v);
    cusparse_time t;
    if (v.preprocess) {
        gpu.gpu()->timed([&] { product.analyse(); });
        t.analysis_ms = gpu.gpu()->milliseconds();
    }
    t.ms = median_ms(gpu, repeats, [&] { product.run(); });
    return t;
}

std::optional<double> cusparse_bsr_ms(const context& gpu, const device_spmv& p, int block, int repeats) {
    require_library();
    block_product product(gpu, p, block);
    if (!product.fits()) return std::nullopt;
    return median_ms(gpu, repeats, [&] { product.run(); });
}

double cusparse_add_ms(const context& gpu, const device_add& p, int repeats, offset_t& entries) {
    require_library();
    sum sum(gpu, p);
    return median_ms(gpu, repeats, [&] { entries = sum.run(); });
}

double cusparse_multiply_ms(const context& gpu, const device_multiply& p, int repeats, offset_t& entries) {
    require_library();
    square square(gpu, p);
    std::vector<double> times;
    for (int k = 0; k <= repeats; ++k) {
        const double ms = square.run();
        if (k > 0) times.push_back(ms);
    }
    entries = square.entries();
    return median(times);
}

double cusparse_spmm_ms(const context& gpu, const device_spmm& p, int repeats) {
    require_library();
    double best = std::numeric_limits<double>::infinity();
    for (const auto algorithm : {CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG2,
                                 CUSPARSE_SPMM_CSR_ALG3}) {
        dense_product product(gpu, p, algorithm);
        best = std::min(best, median_ms(gpu, repeats, [&] { product.run(); }));
    }
    return best;
}

double cusparse_sddmm_ms(const context& gpu, const device_sddmm& p, int repeats) {
    require_library();
    sampled_product product(gpu, p);
    return median_ms(gpu, repeats, [&] { product.run(); });
}

}  // namespace nz::bench
