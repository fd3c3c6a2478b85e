// Similar text as part of the Python module.
#include "arrays.hpp"

#include "similar.hpp"

using namespace bindings;

namespace {

berrypick::Pattern pattern_of(const In<std::uint32_t>& code) {
    require(code.shape(0) > 0, "the pattern is empty");
    for (std::size_t i = 0; i < code.shape(0); ++i) require(code.data()[i] < 0x110000, "a character is out of range");
    return {code.data(), code.shape(0)};
}

void common_lengths(In<std::uint32_t> code, In<std::uint32_t> text, Out<Index> out) {
    require_apart(code, text, out);
    require_count(out.shape(0), text.shape(0), "out");
    const berrypick::Pattern pattern = pattern_of(code);
    const nb::gil_scoped_release released;
    berrypick::common_lengths(pattern, text.data(), text.shape(0), out.data());
}

template <class Code>
void alike_blocks(In<std::uint32_t> code, In<Code> text, std::size_t block, std::size_t width, std::size_t least,
                  Out<std::uint8_t> out) {
    require_apart(code, text, out);
    require(block > 0, "a block has a character or more");
    require_count(out.shape(0), text.shape(0) / block + (text.shape(0) % block != 0), "out");
    const berrypick::Pattern pattern = pattern_of(code);
    const nb::gil_scoped_release released;
    berrypick::alike_blocks(pattern, text.data(), text.shape(0), block, width, least, out.data());
}

nb::tuple best_span(In<std::uint32_t> code, In<std::uint32_t> text, std::size_t until, std::size_t width) {
    require_apart(code, text);
    const berrypick::Pattern pattern = pattern_of(code);
    berrypick::Alike found;
    {
        const nb::gil_scoped_release released;
        found = berrypick::best_span(pattern, text.data(), text.shape(0), until, width);
    }
    return nb::make_tuple(found.start, found.end, found.length);
}

}  // namespace

void bind_similar(nb::module_& m) {
    m.def("common_lengths", common_lengths, "code"_a.noconvert(), "text"_a.noconvert(), "out"_a.noconvert());
    m.def("alike_blocks", alike_blocks<std::uint8_t>, "code"_a.noconvert(), "text"_a.noconvert(), "block"_a, "width"_a,
          "least"_a, "out"_a.noconvert());
    m.def("alike_blocks", alike_blocks<std::uint16_t>, "code"_a.noconvert(), "text"_a.noconvert(), "block"_a,
          "width"_a, "least"_a, "out"_a.noconvert());
    m.def("alike_blocks", alike_blocks<std::uint32_t>, "code"_a.noconvert(), "text"_a.noconvert(), "block"_a,
          "width"_a, "least"_a, "out"_a.noconvert());
    m.def("best_span", best_span, "code"_a.noconvert(), "text"_a.noconvert(), "until"_a, "width"_a);
}
