// Resamples as part of the Python module.
#include "arrays.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "resampling.hpp"

using namespace bindings;

namespace {

void order_statistics(In2<double> rows, In<Index> rank, Out2<double> out, bool wide) {
    require_apart(rows, rank, out);
    const std::size_t count = rows.shape(1), ranks = rank.shape(0);
    require_count(out.shape(0), rows.shape(0), "rows of out");
    require_count(out.shape(1), ranks, "columns of out");
    for (std::size_t i = 0; i < ranks; ++i)
        require(rank.data()[i] >= 0 && std::size_t(rank.data()[i]) < count &&
                    (i == 0 || rank.data()[i - 1] <= rank.data()[i]),
                "ranks ascend and are those of a row");
    bool sound = true;
    {
        const nb::gil_scoped_release released;
        berrypick::OrderStatistics order(count, rank.data(), ranks, wide);
        for (std::size_t i = 0; i < rows.shape(0); ++i)
            sound &= order.of(rows.data() + i * count, out.data() + i * ranks);
    }
    require(sound, "a value is not a number");
}

void extreme_sums(In<double> value, In<Index> bounds, In<double> least, Out<Index> out) {
    require_apart(value, bounds, least, out);
    const std::size_t sets = least.shape(0);
    require_count(bounds.shape(0), sets + 1, "bounds");
    require_count(out.shape(0), sets, "out");
    require(bounds.data()[0] == 0 && bounds.data()[sets] == Index(value.shape(0)), "bounds hold all values");
    Index most = 0;
    for (std::size_t i = 0; i < sets; ++i) {
        const Index count = bounds.data()[i + 1] - bounds.data()[i];
        require(count >= 0 && count <= 40, "a set has between 0 and 40 values");
        most = std::max(most, count);
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < value.shape(0); ++i) sum += std::abs(value.data()[i]);
    require(std::isfinite(sum), "the values have a finite sum");
    const nb::gil_scoped_release released;
    berrypick::ExtremeSums sums{std::size_t(most)};
    for (std::size_t i = 0; i < sets; ++i) {
        const Index from = bounds.data()[i];
        out.data()[i] = sums.count(value.data() + from, std::size_t(bounds.data()[i + 1] - from), least.data()[i]);
    }
}

void extreme_sign_changes(In2<double> columns, In2<std::uint8_t> signs, In<double> least, Out<Index> out) {
    require_apart(columns, signs, least, out);
    const std::size_t count = columns.shape(0), values = columns.shape(1);
    require_count(least.shape(0), count, "least");
    require_count(out.shape(0), count, "out");
    require_count(signs.shape(1), (values + 7) / 8, "bytes of signs");
    const nb::gil_scoped_release released;
    using berrypick::SignChanges;
    SignChanges changes(values, signs.data(), signs.shape(0));
    for (std::size_t i = 0; i < count; i += SignChanges::columns) {
        const double* column[SignChanges::columns];
        double bounds[SignChanges::columns];
        Index found[SignChanges::columns];
        for (std::size_t k = 0; k < SignChanges::columns; ++k) {  // the last column again where there are no more
            const std::size_t place = std::min(i + k, count - 1);
            column[k] = columns.data() + place * values;
            bounds[k] = least.data()[place];
        }
        changes.count(column, bounds, found);
        std::copy(found, found + std::min(SignChanges::columns, count - i), out.data() + i);
    }
}

// The same for differences of columns: those that count for sure, and those that may, whatever the rounding of sums.
void extreme_pairs(In2<double> columns, In2<std::uint8_t> signs, In<Index> one, In<Index> other, In<double> most,
                   In<double> least, Out<Index> sure, Out<Index> maybe) {
    require_apart(columns, signs, one, other, most, least, sure, maybe);
    const std::size_t count = columns.shape(0), values = columns.shape(1), pairs = one.shape(0), draws = signs.shape(0);
    require_count(other.shape(0), pairs, "other");
    require_count(most.shape(0), pairs, "most");
    require_count(least.shape(0), pairs, "least");
    require_count(sure.shape(0), pairs, "sure");
    require_count(maybe.shape(0), pairs, "maybe");
    require_count(signs.shape(1), (values + 7) / 8, "bytes of signs");
    for (std::size_t i = 0; i < pairs; ++i)
        for (const Index place : {one.data()[i], other.data()[i]})
            require(place >= 0 && std::size_t(place) < count, "pairs are of columns");
    const nb::gil_scoped_release released;
    using berrypick::SignChanges;
    SignChanges changes(values, signs.data(), draws);
    const std::size_t groups = (count + SignChanges::columns - 1) / SignChanges::columns;
    std::vector<double> sums(groups * SignChanges::columns * draws);
    for (std::size_t group = 0; group < groups; ++group) {
        const double* column[SignChanges::columns];
        for (std::size_t k = 0; k < SignChanges::columns; ++k)  // the last column again where there are no more
            column[k] = columns.data() + std::min(group * SignChanges::columns + k, count - 1) * values;
        changes.sums(column, sums.data() + group * SignChanges::columns * draws);
    }
    std::fill_n(sure.data(), pairs, 0);
    std::fill_n(maybe.data(), pairs, 0);
    constexpr std::size_t near = 256;  // draws whose sums stay in the caches
    for (std::size_t first = 0; first < draws; first += near)
        for (std::size_t i = 0; i < pairs; ++i)
            berrypick::count_apart(sums.data() + std::size_t(one.data()[i]) * draws + first,
                                   sums.data() + std::size_t(other.data()[i]) * draws + first,
                                   std::min(near, draws - first), most.data()[i], least.data()[i], sure.data() + i,
                                   maybe.data() + i);
}

}  // namespace

void bind_resampling(nb::module_& m) {
    m.def("extreme_sign_changes", extreme_sign_changes, "columns"_a.noconvert(), "signs"_a.noconvert(),
          "least"_a.noconvert(), "out"_a.noconvert());
    m.def("extreme_pairs", extreme_pairs, "columns"_a.noconvert(), "signs"_a.noconvert(), "one"_a.noconvert(),
          "other"_a.noconvert(), "most"_a.noconvert(), "least"_a.noconvert(), "sure"_a.noconvert(),
          "maybe"_a.noconvert());
    m.def("order_statistics", order_statistics, "rows"_a.noconvert(), "rank"_a.noconvert(), "out"_a.noconvert(),
          "wide"_a = true);
    m.def("extreme_sums", extreme_sums, "value"_a.noconvert(), "bounds"_a.noconvert(), "least"_a.noconvert(),
          "out"_a.noconvert());
}
