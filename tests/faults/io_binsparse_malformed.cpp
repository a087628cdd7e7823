// Binsparse files that are wrong: each is refused with the file, the array and the reason.
#include "storage/matrix_body.hpp"
#include "support/files.hpp"
#include "support/hdf5_file.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace nz::test {
namespace {

constexpr std::string_view csr_types =
    R"("pointers_to_1": "int32", "indices_1": "int32", "values": "float64")";

class MalformedBinsparse : public ::testing::Test {
protected:
    // The message of load() behind the file's name, which must stand in front of it.
    std::string refusal_of(const read_options& options = {}) const {
        const std::string text = refusal([&] { load(ctx_, path_, options); });
        EXPECT_TRUE(text.starts_with(path_ + ": ")) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
        return text.substr(std::min(text.size(), path_.size() + 2));
    }
    // That of a 2 x 3 matrix of 3 entries in compressed rows, described so and changed so.
    std::string refusal_of_csr(const std::string& descriptor,
                               const std::function<void(hdf5_file&)>& change = {}) const {
        {
            hdf5_file file(path_);
            file.array<std::int32_t>("pointers_to_1", {0, 2, 3});
            file.array<std::int32_t>("indices_1", {0, 2, 1});
            file.array<double>("values", {1, 2, 3});
            if (change) change(file);
            file.descriptor(descriptor);
        }
        return refusal_of();
    }
    static void replace(hdf5_file& file, const char* name) { H5Ldelete(file.id(), name, H5P_DEFAULT); }
    template <class T>
    static std::function<void(hdf5_file&)> with(const char* name, const std::vector<T>& values) {
        return [=](hdf5_file& file) {
            replace(file, name);
            file.array(name, values);
        };
    }

    context ctx_{context_options{.threads = 2, .memory_limit = std::size_t{64} << 20}};
    const temporary_folder folder_;
    const std::string path_ = folder_.path("a.bsp.h5");
};

TEST_F(MalformedBinsparse, the_container) {
    folder_.put("a.bsp.h5", "no HDF5");
    EXPECT_TRUE(refusal_of().starts_with("is no HDF5 file, or it is damaged or cut off: ")) << refusal_of();
    { hdf5_file file(path_); }
    EXPECT_EQ(refusal_of(), "has no attribute 'binsparse': it is an HDF5 file, but no Binsparse");
    {
        hdf5_file file(path_);
        const hid_t space = H5Screate(H5S_SCALAR);
        H5Aclose(H5Acreate2(file.id(), "binsparse", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT));
        H5Sclose(space);
    }
    EXPECT_EQ(refusal_of(), "attribute 'binsparse' is no text");
}

TEST_F(MalformedBinsparse, the_descriptor) {
    const struct {
        std::string descriptor, message;
    } cases[] = {
        {"{", "the descriptor is no JSON object"},
        {"\xff\xfe", "the descriptor is no JSON object"},
        {"[1]", "the descriptor is no JSON object"},
        {"{}", "the descriptor has no 'binsparse'"},
        {R"({"binsparse": 1})", "the descriptor's 'binsparse' is no JSON object"},
        {R"({"binsparse": {}})", "the descriptor has no 'format'"},
        {R"({"binsparse": {"format": 7}})", "the descriptor's 'format' is 7, not a text"},
        {R"({"binsparse": {"version": "1.0"}})",
         "version \"1.0\" of the format is not known; versions 0.x are read"},
        {R"({"binsparse": {"version": [0]}})", "version [0] of the format is not known"},
        {descriptor_of("BSR", "2, 3", 3, csr_types), "the format is 'BSR'; known are CSR, CSC,"},
        {descriptor_of("CSR", "2", 3, csr_types), "the shape is [2], this format has 2 dimensions"},
        {descriptor_of("DVEC", "2, 3", 3, csr_types), "the shape is [2,3], this format has 1 dimensions"},
        {descriptor_of("CSR", "-2, 3", 3, csr_types), "the shape is [-2,3]: possible are 0..2147483647"},
        {descriptor_of("CSR", "2, 2147483648", 3, csr_types), "the shape is [2,2147483648]: possible are"},
        {descriptor_of("CSR", "2, 3.5", 3, csr_types), "the shape is [2,3.5]: possible are"},
        {descriptor_of("CSR", "2, \"3\"", 3, csr_types), "the shape is [2,\"3\"]: possible are"},
        {descriptor_of("CSR", "2, 3", -1, csr_types), "'number_of_stored_values' is -1, which is no count"},
        {R"({"binsparse": {"format": "CSR", "shape": [2, 3]}})",
         "the descriptor has no 'number_of_stored_values'"},
        {R"({"binsparse": {"format": "CSR", "shape": [2, 3], "number_of_stored_values": 3}})",
         "the descriptor has no 'data_types'"},
        {R"({"binsparse": {"format": "CSR", "shape": [2, 3], "number_of_stored_values": 3, "data_types": []}})",
         "the descriptor's 'data_types' is [], no object"},
        {descriptor_of("CSR", "2, 3", 3, R"("values": "float16")"),
         "array 'values' is of type \"float16\", which is none of the format's"},
        {descriptor_of("CSR", "2, 3", 3, R"("values": "iso[iso[int8]]")"), "array 'values' is of type"},
        {descriptor_of("CSR", "2, 3", 3, R"("values": "complex[bint8]")"), "array 'values' is of type"},
        {descriptor_of("CSR", "2, 3", 3, R"("values": 3)"), "array 'values' is of type 3"},
        {descriptor_of("CSR", "2, 3", 3, csr_types, R"(, "structure": "banded")"),
         "the structure is \"banded\"; known are symmetric,"},
        {descriptor_of("CSR", "2, 3", 3, csr_types, R"(, "structure": "symmetric_lower")"),
         "the structure is \"symmetric_lower\", which this matrix of 2 x 3 cannot have"},
        {descriptor_of("DMATR", "3, 3", 9, csr_types, R"(, "structure": "symmetric_lower")"),
         "the structure is \"symmetric_lower\", which this dense array or vector of 3 x 3 cannot have"},
        {descriptor_of("CSR", "2, 3", 3, csr_types, R"(, "index_base": 1)"),
         "its indices count from 1; read are those from 0"},
    };
    for (const auto& [descriptor, message] : cases)
        EXPECT_EQ(refusal_of_csr(descriptor).substr(0, message.size()), message) << descriptor;
}

TEST_F(MalformedBinsparse, the_arrays_against_the_descriptor) {
    const std::string right = descriptor_of("CSR", "2, 3", 3, csr_types);
    EXPECT_EQ(refusal_of_csr(descriptor_of("CSR", "2, 3", 3, R"("indices_1": "int32", "values": "float64")")),
              "the descriptor says no type for array 'pointers_to_1'");
    EXPECT_EQ(refusal_of_csr(descriptor_of("COO", "2, 3", 3, csr_types)),
              "the descriptor says no type for array 'indices_0'");
    for (const char* const name : {"pointers_to_1", "indices_1", "values"})
        EXPECT_EQ(refusal_of_csr(right, [=](hdf5_file& file) { replace(file, name); }),
                  "array '" + std::string(name) + "' is not there");
    EXPECT_EQ(refusal_of_csr(right, with<std::int32_t>("pointers_to_1", {0, 2, 3, 3})),
              "array 'pointers_to_1' has 4 elements, 3 are expected");
    EXPECT_EQ(refusal_of_csr(right, with<std::int32_t>("indices_1", {0, 2})),
              "array 'indices_1' has 2 elements, 3 are expected");
    EXPECT_EQ(refusal_of_csr(right, with<double>("values", {1, 2, 3, 4})),
              "array 'values' has 4 elements, 3 are expected");
    EXPECT_EQ(refusal_of_csr(right, with<float>("values", {1, 2, 3})),
              "array 'values' holds float32, the descriptor says float64");
    EXPECT_EQ(refusal_of_csr(right, with<std::int64_t>("indices_1", {0, 2, 1})),
              "array 'indices_1' holds int64, the descriptor says int32");
    EXPECT_EQ(
        refusal_of_csr(descriptor_of(
            "CSR", "2, 3", 3, R"("pointers_to_1": "int32", "indices_1": "float64", "values": "float64")")),
        "array 'indices_1' is of another type than whole numbers");
    EXPECT_EQ(refusal_of_csr(descriptor_of("DMATR", "2, 3", 3, csr_types)),
              "stores 3 values, its shape has 6 places");
    EXPECT_EQ(refusal_of_csr(descriptor_of("DMATR", "2, 3", 6, csr_types)),
              "array 'values' has 3 elements, a dense array of 6 is expected");
    EXPECT_EQ(refusal_of_csr(descriptor_of("CSR", "2, 3", 3, csr_types, R"(, "fill": true)")),
              "array 'fill_value' is not there");
    EXPECT_EQ(refusal_of_csr(descriptor_of("CSR", "2, 3", 3, csr_types, R"(, "fill": true)"),
                             [](hdf5_file& file) { file.array<double>("fill_value", {0.5}); }),
              "array 'fill_value' is not 0: a matrix holds no value for places without an entry");
}

TEST_F(MalformedBinsparse, the_numbers) {
    const std::string right = descriptor_of("CSR", "2, 3", 3, csr_types);
    EXPECT_EQ(refusal_of_csr(right, with<std::int32_t>("pointers_to_1", {1, 2, 3})),
              "array 'pointers_to_1': the first element is 1, not 0");
    EXPECT_EQ(refusal_of_csr(right, with<std::int32_t>("pointers_to_1", {0, 3, 2})),
              "array 'pointers_to_1': element 1 is 3, the next is 2");
    EXPECT_EQ(refusal_of_csr(right, with<std::int32_t>("pointers_to_1", {0, 2, 2})),
              "array 'pointers_to_1': the last element is 2, 3 values are stored");
    EXPECT_EQ(refusal_of_csr(right, with<std::int32_t>("pointers_to_1", {0, -1, 3})),
              "array 'pointers_to_1': element 1 is -1, outside 0..3");
    EXPECT_EQ(refusal_of_csr(right, with<std::int32_t>("pointers_to_1", {0, 4, 3})),
              "array 'pointers_to_1': element 1 is 4, outside 0..3");
    EXPECT_EQ(refusal_of_csr(right, with<std::int32_t>("indices_1", {0, 3, 9})),
              "array 'indices_1': element 1 is 3, outside 0..2");
    EXPECT_EQ(refusal_of_csr(right, with<std::int32_t>("indices_1", {0, 2, -1})),
              "array 'indices_1': element 2 is -1, outside 0..2");
    EXPECT_EQ(refusal_of_csr(right, with<std::int32_t>("indices_1", {2, 2, 1})),
              "1 of its 3 entries repeat the place of another");
    EXPECT_EQ(
        refusal_of_csr(
            descriptor_of("COO", "2, 3", 3,
                          R"("indices_0": "uint64", "indices_1": "int32", "values": "float64")"),
            [](hdf5_file& file) { file.array<std::uint64_t>("indices_0", {0, 1, std::uint64_t{1} << 63}); }),
        "array 'indices_0': element 2 is 9223372036854775808, outside 0..1");
    const auto square = [](const std::string& structure) {
        return descriptor_of("CSR", "2, 2", 3, csr_types, R"(, "structure": ")" + structure + '"');
    };
    const auto twice = with<std::int32_t>("indices_1", {0, 0, 1});
    const auto both = [](hdf5_file& file) {
        with<std::int32_t>("pointers_to_1", {0, 1, 3})(file);
        with<std::int32_t>("indices_1", {0, 0, 1})(file);
    };
    EXPECT_EQ(refusal_of_csr(square("symmetric_upper"), both),
              "entry (1, 0) lies below the diagonal, the structure stores the other triangle");
    EXPECT_EQ(refusal_of_csr(square("skew_symmetric_lower"), both),
              "entry (0, 0) of a skew-symmetric matrix must be 0");
    EXPECT_EQ(refusal_of_csr(square("symmetric_lower"), twice),
              "1 of its 3 entries repeat the place of another");
    EXPECT_EQ(
        refusal_of_csr(descriptor_of("CSR", "2, 2", 3,
                                     R"("pointers_to_1": "int32", "indices_1": "int32", "values": "uint8")",
                                     R"(, "structure": "skew_symmetric_lower")"),
                       [&](hdf5_file& file) {
                           both(file);
                           with<std::uint8_t>("values", {0, 0, 0})(file);
                       }),
        "values of type uint8 cannot be skew-symmetric");
}

TEST_F(MalformedBinsparse, sizes_that_the_file_does_not_prove_take_no_memory) {
    const auto claim = [&](hid_t layout, hsize_t count, std::string_view begin) {
        const std::string shape = std::to_string(count);
        {
            hdf5_file file(path_);
            file.empty("values", {count}, H5T_IEEE_F64LE, layout);
            file.descriptor(R"({"binsparse": {"version": "0.1", "format": "DVEC", "shape": [)" + shape +
                            R"(], "number_of_stored_values": )" + shape +
                            R"(, "data_types": {"values": "float64"}}})");
        }
        ctx_.reset_peak();
        EXPECT_TRUE(refusal_of().starts_with(begin)) << refusal_of();
        EXPECT_LT(ctx_.peak_bytes(), 1u << 20);
    };
    claim(H5P_DEFAULT, 2000000000,
          "array 'values' has 2000000000 elements of 8 bytes by its header, 0 bytes are");
    const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk = 1 << 20;
    H5Pset_chunk(chunked, 1, &chunk);
    H5Pset_deflate(chunked, 1);
    claim(chunked, 2000000000,
          "array 'values' has 2000000000 elements of 8 bytes by its header, 0 bytes are");
    H5Pclose(chunked);
    // So do sparse ones whose counts are in the descriptor alone.
    EXPECT_EQ(refusal_of_csr(descriptor_of("CSR", "2147483647, 3", 2147483647, csr_types)),
              "array 'pointers_to_1' has 3 elements, 2147483648 are expected");
    EXPECT_EQ(refusal_of_csr(descriptor_of("CVEC", "2147483647", 2147483647,
                                           R"("indices_0": "int32", "values": "float64")")),
              "array 'indices_0' is not there");
    EXPECT_LT(ctx_.peak_bytes(), 1u << 20);
}

TEST_F(MalformedBinsparse, arrays_that_are_stored_elsewhere_or_otherwise) {
    const std::string right = descriptor_of("CSR", "2, 3", 3, csr_types);
    EXPECT_EQ(refusal_of_csr(right,
                             [](hdf5_file& file) {
                                 replace(file, "values");
                                 H5Lcreate_external("other.h5", "/values", file.id(), "values", H5P_DEFAULT,
                                                    H5P_DEFAULT);
                             }),
              "array 'values' is a link to another file");
    EXPECT_EQ(refusal_of_csr(right,
                             [](hdf5_file& file) {
                                 replace(file, "values");
                                 const hid_t outside = H5Pcreate(H5P_DATASET_CREATE);
                                 H5Pset_external(outside, "/etc/passwd", 0, 24);
                                 file.empty("values", {3}, H5T_IEEE_F64LE, outside);
                                 H5Pclose(outside);
                             }),
              "array 'values' lies in other files, or in a way that is not known");
    EXPECT_TRUE(
        refusal_of_csr(right, [](hdf5_file& file) {
            replace(file, "values");
            const hid_t packed = H5Pcreate(H5P_DATASET_CREATE);
            const hsize_t chunk = 3;
            H5Pset_chunk(packed, 1, &chunk);
            H5Pset_scaleoffset(packed, H5Z_SO_FLOAT_DSCALE, 2);
            file.array<double>("values", {1, 2, 3}, 0, packed);
            H5Pclose(packed);
        }).starts_with("array 'values' is stored through filter 6 ('scaleoffset'); read are deflate"));
    EXPECT_EQ(refusal_of_csr(right,
                             [](hdf5_file& file) {
                                 replace(file, "values");
                                 file.empty("values", {1, 3}, H5T_IEEE_F64LE);
                             }),
              "array 'values' is no array of one dimension");
    EXPECT_EQ(refusal_of_csr(right,
                             [](hdf5_file& file) {
                                 replace(file, "values");
                                 file.empty("values", {3}, H5T_C_S1);
                             }),
              "array 'values' holds no numbers that a matrix can hold");
    EXPECT_TRUE(refusal_of_csr(right, [](hdf5_file& file) {
                    replace(file, "values");
                    H5Gclose(H5Gcreate2(file.id(), "values", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
                }).starts_with("array 'values' cannot be opened: "));
}

TEST_F(MalformedBinsparse, a_file_that_is_cut_off_is_refused_wherever_it_ends) {
    save(ctx_, load(ctx_, "grid2d:20").matrix, path_);
    const std::string whole = folder_.content("a.bsp.h5");
    for (std::size_t bytes = 1; bytes < whole.size(); bytes += 97) {
        folder_.put("a.bsp.h5", whole.substr(0, bytes));
        EXPECT_NE(refusal_of(), "") << bytes;
    }
}

// The bytes of the arrays and of the descriptor; what HDF5 keeps between them is libhdf5's to check.
TEST_F(MalformedBinsparse, changed_numbers_and_words_give_an_error_or_a_matrix_that_keeps_its_rules) {
    const matrix a = load(ctx_, "random:40,3").matrix;
    int refused = 0, read = 0;
    for (const file_layout layout : {file_layout::csr, file_layout::csc, file_layout::coo}) {
        save(ctx_, a, path_, {.layout = layout});
        const std::string whole = folder_.content("a.bsp.h5");
        const std::size_t json = whole.find("{\n  \"binsparse\"");
        ASSERT_NE(json, std::string::npos);
        const auto attempt = [&](std::size_t at, int bit) {
            std::string changed = whole;
            changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
            folder_.put("a.bsp.h5", changed);
            try {
                load(ctx_, path_).matrix.validate();
                ++read;
            } catch (const error& e) {
                EXPECT_TRUE(std::string_view(e.what()).starts_with(path_)) << e.what();
                ++refused;
            }
        };
        for (std::size_t at = json; whole[at] != '\0'; ++at) attempt(at, static_cast<int>(at % 7));
        const storage::csr& arrays = layout == file_layout::csc ? a.body().columns() : a.body().rows();
        for (const buffer* const array : {&arrays.indices, &arrays.offsets}) {
            const std::size_t begin = whole.find(std::string(array->as<const char>(), array->bytes()));
            if (begin == std::string::npos) continue;  // coordinates have no offsets
            for (std::size_t at = begin; at < begin + array->bytes(); ++at)
                attempt(at, static_cast<int>(at % 8));
        }
    }
    EXPECT_GT(refused, 100);
    EXPECT_GT(read, 20);
}

// libhdf5 1.10.8 ends the process on some of these, if asked.
TEST_F(MalformedBinsparse, a_text_of_variable_length_is_looked_up_before_libhdf5_follows_its_reference) {
    {
        hdf5_file file(path_);
        file.array<std::int32_t>("pointers_to_1", {0, 2, 3});
        file.array<std::int32_t>("indices_1", {0, 2, 1});
        file.array<double>("values", {1, 2, 3});
        file.descriptor(descriptor_of("CSR", "2, 3", 3, csr_types), true);
    }
    ASSERT_EQ(load(ctx_, path_).matrix.nnz(), 3);
    const std::string whole = folder_.content("a.bsp.h5");
    const std::size_t texts = whole.find("GCOL");
    ASSERT_NE(texts, std::string::npos);
    const auto address = static_cast<std::uint64_t>(texts);
    const std::size_t reference = whole.find(std::string(reinterpret_cast<const char*>(&address), 8));
    ASSERT_NE(reference, std::string::npos);
    int refused = 0;
    const auto attempt = [&](std::size_t at) {
        for (int bit = 0; bit < 8; ++bit) {
            std::string changed = whole;
            changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
            folder_.put("a.bsp.h5", changed);
            const std::string text = refusal([&] { load(ctx_, path_).matrix.validate(); });
            EXPECT_TRUE(text.empty() || text.starts_with(path_)) << text;
            refused += !text.empty();
        }
    };
    for (std::size_t at = reference - 4; at < reference + 12; ++at) attempt(at);
    for (std::size_t at = texts; at < texts + 32; ++at) attempt(at);
    EXPECT_GT(refused, 150) << "of 384; what is no content may be read";
}

TEST_F(MalformedBinsparse, libhdf5_prints_nothing_and_keeps_the_processs_setting) {
    H5E_auto2_t before = nullptr, after = nullptr;
    void *data_before = nullptr, *data_after = nullptr;
    H5Eget_auto2(H5E_DEFAULT, &before, &data_before);
    ASSERT_NE(before, nullptr) << "libhdf5 prints its errors unless told otherwise";
    folder_.put("a.bsp.h5", "\x89HDF\r\n\x1a\n and nothing else");
    ::testing::internal::CaptureStderr();
    EXPECT_NE(refusal_of(), "");
    const std::string printed = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(printed, "");
    H5Eget_auto2(H5E_DEFAULT, &after, &data_after);
    EXPECT_EQ(before, after);
}

TEST_F(MalformedBinsparse, nothing_half_written_stays) {
    const matrix a(ctx_, dtype::int8, 2, 3);
    EXPECT_NE(refusal<error>([&] { save(ctx_, a, folder_.path("no/such/folder/a.bsp.h5")); }), "");
    EXPECT_NE(refusal<domain_error>(
                  [&] { save(ctx_, a, folder_.path("a.csc.npz"), {.layout = file_layout::csc}); }),
              "");
    EXPECT_TRUE(folder_.names().empty());
}

}  // namespace
}  // namespace nz::test
