// The compiled kernels as a Python module. Everything that Python hands over is checked in the files *_module.cpp, before
// the interpreter lock is released and the kernels run on plain memory. Results go into arrays that the caller has made.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_chains(nb::module_& m);
void bind_documents(nb::module_& m);
void bind_files(nb::module_& m);
void bind_lists(nb::module_& m);
void bind_names(nb::module_& m);
void bind_reach(nb::module_& m);
void bind_resampling(nb::module_& m);
void bind_similar(nb::module_& m);
void bind_text(nb::module_& m);
void bind_trees(nb::module_& m);

NB_MODULE(_native, m) {
    // names of a file may outlive the interpreter in a cache; that is no error of the user
    nb::set_leak_warnings(false);
    m.doc() = "The compiled kernels; berrypick.kernels has them behind the same functions as their NumPy forms.";
    bind_chains(m);
    bind_documents(m);
    bind_files(m);
    bind_lists(m);
    bind_names(m);
    bind_reach(m);
    bind_resampling(m);
    bind_similar(m);
    bind_text(m);
    bind_trees(m);
}
