"""The library's exceptions. Each is also the Python exception of its kind, so that either can be caught."""


class Error(Exception):
    """Base of everything that the library raises."""


class DimensionMismatch(Error, ValueError):
    """Shapes that do not fit together; both are in the message."""


class DomainError(Error, ValueError):
    """A type, operator or value outside the domain of the operation."""


class IndexOutOfBounds(Error, IndexError):
    """A row, column or source outside the object."""


class InvalidFormat(Error, ValueError):
    """Input that is not what its format says; the message has file, line and reason."""


class OutOfMemory(Error, MemoryError):
    """Memory that is not there or that the context's limit forbids; the message has the bytes."""


class NotSupported(Error, NotImplementedError):
    """A combination that this build or this kernel cannot serve; the message names the way out."""


class DeviceError(Error, RuntimeError):
    """A failure that the device reported."""


class FileError(Error, OSError):
    """A file that the operating system does not let be opened, created, read or written: `errno`, `strerror`, `filename`."""


class FileNotFound(FileError, FileNotFoundError):
    """A file to read that is not there, or a folder to write into."""


class PermissionDenied(FileError, PermissionError):
    """A file or folder that may not be read or written."""
