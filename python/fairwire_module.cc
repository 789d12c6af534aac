// The Python binding: one file, over the harness's public face alone.
#include <pybind11/pybind11.h>

#include "harness/fairwire.h"

PYBIND11_MODULE(_fairwire, module) {
  module.doc() = "Honest measuring of file sync and file transfer.";
  module.def("version", &fairwire::version, "The version of fairwire, such as \"0.1.0\".");
}
