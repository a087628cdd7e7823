// The one exception family. what() says what was asked, what stood in the way, and the way out.
#pragma once

#include <stdexcept>
#include <string>

namespace nz {

/// Base of what the library throws, beside std::bad_alloc where the system has none of the little memory that no limit counts.
class error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// Shapes that do not fit together; both are in the message.
class dimension_mismatch : public error {
    using error::error;
};
/// A type, operator or value outside the domain of the operation.
class domain_error : public error {
    using error::error;
};
/// A row, column or source outside the object.
class index_out_of_bounds : public error {
    using error::error;
};
/// Input that is not what its format says; the message has file, line and reason.
class invalid_format : public error {
    using error::error;
};
/// Memory that is not there or that the context's limit forbids; the message has the bytes needed and free.
class out_of_memory : public error {
    using error::error;
};
/// A combination that this build or this kernel cannot serve; the message names the fact and the way out.
class not_supported : public error {
    using error::error;
};
/// A failure that the device reported.
class device_error : public error {
    using error::error;
};

}  // namespace nz
