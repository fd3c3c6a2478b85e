// Elements inside elements as part of the Python module.
#include "arrays.hpp"

#include <vector>

#include "trees.hpp"

using namespace bindings;

namespace {

berrypick::Places places(const In<Index>& document, const In<Index>& start, const In<Index>& end) {
    require_count(start.shape(0), document.shape(0), "start");
    require_count(end.shape(0), document.shape(0), "end");
    for (std::size_t i = 0; i < start.shape(0); ++i)
        require(start.data()[i] < end.data()[i], "an element ends after its start");
    return {document.data(), start.data(), end.data(), document.shape(0)};
}

nb::tuple nested_pairs(In<Index> document, In<Index> start, In<Index> end, In<Index> other_document,
                       In<Index> other_start, In<Index> other_end) {
    require_apart(document, start, end, other_document, other_start, other_end);
    const berrypick::Places one = places(document, start, end), other = places(other_document, other_start, other_end);
    std::vector<Index> first, second;
    {
        const nb::gil_scoped_release released;
        berrypick::nested_pairs(one, other, first, second);
    }
    return nb::make_tuple(owned(std::move(first)), owned(std::move(second)));
}

void unseen_lengths(In<Index> document, In<Index> start, In<Index> end, In<double> length, Out<double> out) {
    require_apart(document, start, end, length, out);
    const berrypick::Places element = places(document, start, end);
    require_count(length.shape(0), element.count, "length");
    require_count(out.shape(0), element.count, "out");
    const nb::gil_scoped_release released;
    berrypick::unseen_lengths(element, length.data(), out.data());
}

}  // namespace

void bind_trees(nb::module_& m) {
    m.def("nested_pairs", nested_pairs, "document"_a.noconvert(), "start"_a.noconvert(), "end"_a.noconvert(),
          "other_document"_a.noconvert(), "other_start"_a.noconvert(), "other_end"_a.noconvert());
    m.def("unseen_lengths", unseen_lengths, "document"_a.noconvert(), "start"_a.noconvert(), "end"_a.noconvert(),
          "length"_a.noconvert(), "out"_a.noconvert());
}
