# SPDX-License-Identifier: BSD-2-Clause
"""Loads the two libraries and declares to cffi what the package calls in them."""

import os
from typing import Any

import cffi

from ._declarations import MODEL, TABLES, VERSION

ffi = cffi.FFI()
ffi.cdef(TABLES)
ffi.cdef(MODEL)


def _open(name: str, soname: str) -> Any:
    """Opens a library: beside the package, in ARMPMU_LIBRARY_DIR, or as the dynamic loader finds @soname."""
    folders = [os.path.dirname(os.path.abspath(__file__)), os.environ.get("ARMPMU_LIBRARY_DIR", "")]
    for folder in folders:
        path = os.path.join(folder, name)
        if folder != "" and os.path.exists(path):
            return ffi.dlopen(path)
    try:
        return ffi.dlopen(soname)
    except OSError as error:
        raise ImportError(f"{soname}: not found ({error}); install armpmu, or set ARMPMU_LIBRARY_DIR to the folder "
                          f"that has {name}") from None


tables = _open(f"libarmpmu.so.{VERSION}", f"libarmpmu.so.{VERSION.rsplit('.', 1)[0]}")
model = _open("libarmpmu-tb.so", "libarmpmu-tb.so")


def text(pointer: Any) -> str:
    """Returns the text of C at @pointer, "" for NULL."""
    if pointer == ffi.NULL:
        return ""
    found = ffi.string(pointer)
    assert isinstance(found, bytes)
    return found.decode("utf-8", "replace")


def version() -> str:
    """Returns the version of libarmpmu: "0.1.0"."""
    return text(tables.apmu_version())


if version() != VERSION:
    raise ImportError(f"libarmpmu has version {version()}, and this package is made for {VERSION}; install the same "
                      "version of both")
for _name in ("apmu_event_info", "apmu_core_info", "apmu_field", "apmu_reg_info", "apmu_reason_info", "apmu_access",
              "apmu_transfer", "apmu_reg_value"):
    if tables.apmu_sizeof(_name.encode()) != ffi.sizeof(f"struct {_name}"):
        raise ImportError(f"libarmpmu: struct {_name} has another size than this package knows; install the same "
                          "version of both")
