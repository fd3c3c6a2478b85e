// Chains of pages as part of the Python module.
#include "arrays.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hitting.hpp"

using namespace bindings;

namespace {

// Visits of each target from each page (pages x targets), at most 1, and which of them have settled.
void chain_visits(In<Index> first, In<Index> to, In<double> probability, In<Index> targets, Index turns,
                  Out2<double> out, Out<std::uint8_t> settled) {
    require_apart(first, to, probability, targets, out, settled);
    require(first.size() >= 1 && first.data()[0] == 0, "rows begin at 0");
    const std::size_t pages = first.size() - 1, width = berrypick::Hitting::width;
    for (std::size_t i = 0; i < pages; ++i) require(first.data()[i] <= first.data()[i + 1], "rows are in order");
    require_count(to.size(), std::size_t(first.data()[pages]), "steps");
    require_count(probability.size(), to.size(), "probabilities");
    for (std::size_t k = 0; k < to.size(); ++k) {
        require(to.data()[k] >= 0 && std::size_t(to.data()[k]) < pages, "no such page");
        require(probability.data()[k] >= 0.0 && std::isfinite(probability.data()[k]), "a step has a probability");
    }
    for (std::size_t c = 0; c < targets.size(); ++c)
        require(targets.data()[c] >= 0 && std::size_t(targets.data()[c]) < pages, "no such page");
    require(turns >= 0 && turns < (Index(1) << 31), "a number of turns");
    require_count(out.shape(0), pages, "rows of out");
    require_count(out.shape(1), targets.size(), "columns of out");
    require_count(settled.size(), targets.size(), "settled");
    const nb::gil_scoped_release released;
    berrypick::Hitting visits({pages, first.data(), to.data(), probability.data()});
    for (std::size_t begun = 0; begun < targets.size(); begun += width) {
        const std::size_t some = std::min(width, targets.size() - begun);
        const std::vector<bool> slow = visits.of(targets.data() + begun, some, std::size_t(turns));
        for (std::size_t c = 0; c < some; ++c) settled.data()[begun + c] = !slow[c];
        for (std::size_t page = 0; page < pages; ++page)
            for (std::size_t c = 0; c < some; ++c)
                out.data()[page * targets.size() + begun + c] = std::min(visits.row(page)[c], 1.0);
    }
}

}  // namespace

void bind_chains(nb::module_& m) {
    m.def("chain_visits", chain_visits, "first"_a.noconvert(), "to"_a.noconvert(), "probability"_a.noconvert(),
          "targets"_a.noconvert(), "turns"_a, "out"_a.noconvert(), "settled"_a.noconvert());
}
