// The compiled kernels as a Python module. Everything that Python hands over is checked here, before the interpreter
// lock is released and the kernels run on plain memory. Results go into arrays that the caller has made.
// lists_module.cpp has those of ideal lists.
#include "arrays.hpp"
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "areas.hpp"
#include "documents.hpp"
#include "greedy.hpp"
#include "joint_bounds.hpp"
#include "json_lines.hpp"
#include "json_rows.hpp"
#include "law.hpp"
#include "parts.hpp"
#include "records.hpp"
#include "resampling.hpp"
#include "similar.hpp"
#include "text.hpp"
#include "trees.hpp"

using namespace bindings;

void bind_lists(nb::module_& m);
void bind_chains(nb::module_& m);

namespace {

// --- reach ---------------------------------------------------------------------------------------------------------

berrypick::Entries entries(const In<Index>& rank, const In<Index>& target, const In<double>& probability,
                           std::size_t targets) {
    require_count(target.shape(0), rank.shape(0), "target");
    require_count(probability.shape(0), rank.shape(0), "probability");
    const berrypick::Entries found{rank.data(), target.data(), probability.data(), rank.shape(0)};
    for (std::size_t i = 0; i < found.count; ++i) {
        require(found.target[i] >= 0 && std::size_t(found.target[i]) < targets, "a target is out of range");
        require(found.probability[i] >= 0.0 && found.probability[i] <= 1.0, "a probability lies in [0, 1]");
        require(i == 0 || found.rank[i - 1] < found.rank[i] ||
                    (found.rank[i - 1] == found.rank[i] && found.target[i - 1] < found.target[i]),
                "entries must be sorted by rank and target, each pair once");
    }
    return found;
}

// an array over the targets seen, 0 .. targets
std::size_t targets_of(std::size_t places, const char* what) {
    require(places >= 1 && places < (std::size_t(1) << 48), what);
    return places - 1;
}

void require_weights(const In<double>& weight, std::size_t wanted) {
    require_count(weight.shape(0), wanted, "weight");
    for (std::size_t i = 0; i < wanted; ++i)
        require(weight.data()[i] >= 0.0 && std::isfinite(weight.data()[i]), "weights are finite and not negative");
}

// 0: whichever is faster, 1: divide and conquer, 2: the plain form (for tests and benchmarks)
berrypick::Form form_of(int form) {
    require(form >= 0 && form <= 2, "form is 0, 1 or 2");
    return static_cast<berrypick::Form>(form);
}

void clear(double* out, std::size_t count) { std::fill(out, out + count, 0.0); }

void weighted_law(In<Index> rank, In<Index> target, In<double> probability, In<double> weight, Out<double> out,
                  int form) {
    require_apart(rank, target, probability, weight, out);
    const berrypick::Form chosen = form_of(form);
    const std::size_t targets = targets_of(out.shape(0), "out needs a place for each number of targets");
    const berrypick::Entries all = entries(rank, target, probability, targets);
    require_weights(weight, berrypick::number_of_events(all));
    const nb::gil_scoped_release released;
    clear(out.data(), out.size());
    berrypick::weighted_law(all, Index(targets), weight.data(), out.data(), chosen);
}

void weighted_bounds(In<Index> rank, In<Index> target, In<double> probability, In<double> weight, bool high,
                     Out<double> out) {
    require_apart(rank, target, probability, weight, out);
    const std::size_t targets = targets_of(out.shape(0), "out needs a place for each number of targets");
    const berrypick::Entries all = entries(rank, target, probability, targets);
    require_weights(weight, berrypick::number_of_events(all));
    const nb::gil_scoped_release released;
    clear(out.data(), out.size());
    berrypick::weighted_bounds(all, Index(targets), weight.data(), high, out.data());
}

void law_over_events(In<Index> rank, In<Index> target, In<double> probability, Out2<double> out, int form) {
    require_apart(rank, target, probability, out);
    const berrypick::Form chosen = form_of(form);
    const std::size_t targets = targets_of(out.shape(1), "out needs a place for each number of targets");
    const berrypick::Entries all = entries(rank, target, probability, targets);
    require_count(out.shape(0), berrypick::number_of_events(all), "rows of out");
    const nb::gil_scoped_release released;
    clear(out.data(), out.size());
    berrypick::law_over_events(all, Index(targets), out.data(), chosen);
}

void law_of_rows(In2<double> seen, In2<double> unseen, Out2<double> out) {
    require_apart(seen, unseen, out);
    const std::size_t rows = seen.shape(0), targets = seen.shape(1);
    require_count(unseen.shape(0), rows, "rows of unseen");
    require_count(unseen.shape(1), targets, "columns of unseen");
    require_count(out.shape(0), rows, "rows of out");
    require_count(out.shape(1), targets + 1, "columns of out");
    for (std::size_t i = 0; i < seen.size(); ++i)
        require(seen.data()[i] >= 0.0 && seen.data()[i] <= 1.0 && unseen.data()[i] >= 0.0 && unseen.data()[i] <= 1.0,
                "a probability lies in [0, 1]");
    const nb::gil_scoped_release released;
    clear(out.data(), out.size());
    berrypick::law_of_rows(seen.data(), unseen.data(), rows, targets, out.data());
}

void consulted(In<Index> rank, In<Index> target, In<double> probability, In<double> gap, bool exact,
               Out<double> fresh, Out<double> read, Out<double> last, int form) {
    require_apart(rank, target, probability, gap, fresh, read, last);
    const berrypick::Form chosen = form_of(form);
    const std::size_t targets = targets_of(last.shape(0), "last needs a place for each number of targets");
    const berrypick::Entries all = entries(rank, target, probability, targets);
    require_weights(gap, berrypick::number_of_events(all) + 1);
    require_count(fresh.shape(0), targets + 1, "fresh");
    require_count(read.shape(0), targets + 1, "read");
    const nb::gil_scoped_release released;
    clear(fresh.data(), fresh.size());
    clear(read.data(), read.size());
    clear(last.data(), last.size());
    berrypick::consulted(all, Index(targets), gap.data(), exact, {fresh.data(), read.data(), last.data()},
                         chosen);
}

void require_bounds(const In<Index>& bounds, std::size_t rows, const char* what) {
    require(bounds.shape(0) >= 1 && bounds.data()[0] == 0 && std::size_t(bounds.data()[bounds.shape(0) - 1]) == rows,
            what);
    for (std::size_t i = 1; i < bounds.shape(0); ++i) require(bounds.data()[i - 1] <= bounds.data()[i], what);
}

// --- text ----------------------------------------------------------------------------------------------------------
// These return whether they could: whole positions too far out for 64-bit sums are left to the caller.

template <class T>
Index merge(In<T> start, In<T> end, Out<T> merged_start, Out<T> merged_end) {
    require_apart(start, end, merged_start, merged_end);
    const std::size_t count = start.shape(0);
    require_count(end.shape(0), count, "end");
    require_count(merged_start.shape(0), count, "merged_start");
    require_count(merged_end.shape(0), count, "merged_end");
    const nb::gil_scoped_release released;
    return Index(berrypick::merge(start.data(), end.data(), count, merged_start.data(), merged_end.data()));
}

template <class T>
bool intersections(In<T> start, In<T> end, In<T> other_start, In<T> other_end, Out2<double> out) {
    require_apart(start, end, other_start, other_end, out);
    const std::size_t count = start.shape(0), others = other_start.shape(0);
    require_count(end.shape(0), count, "end");
    require_count(other_end.shape(0), others, "other_end");
    require_count(out.shape(0), count, "rows of out");
    require_count(out.shape(1), others, "columns of out");
    const nb::gil_scoped_release released;
    for (const auto* positions : {&start, &end, &other_start, &other_end})
        if (!berrypick::measurable(positions->data(), positions->shape(0))) return false;
    berrypick::intersections(start.data(), end.data(), count, other_start.data(), other_end.data(), others,
                             out.data());
    return true;
}

template <class T>
berrypick::RelevantText<T> relevant_text(const In<Index>& code, const In<Index>& part, const In<T>& start,
                                         const In<T>& end) {
    const std::size_t pieces = start.shape(0);
    require_count(end.shape(0), pieces, "relevant_end");
    require_count(part.shape(0), code.shape(0) + 1, "part");
    require(part.data()[0] == 0 && std::size_t(part.data()[code.shape(0)]) == pieces,
            "part must lead from 0 to the number of relevant intervals");
    for (std::size_t i = 0; i < code.shape(0); ++i) {
        require(part.data()[i] <= part.data()[i + 1], "part must not fall");
        for (Index j = part.data()[i]; j < part.data()[i + 1]; ++j) {
            require(j >= 0 && std::size_t(j) < pieces, "part is out of range");
            require(start.data()[j] < end.data()[j] &&
                        (j == part.data()[i] || end.data()[j - 1] <= start.data()[j]),
                    "relevant intervals must be disjoint and in order");
        }
    }
    return {code.data(), code.shape(0), part.data(), start.data(), end.data()};
}

template <class T>
bool first_seen(In<Index> document, In<T> start, In<T> end, In<Index> known, In<Index> part, In<T> relevant_start,
                In<T> relevant_end, Out<double> fresh, Out<double> good) {
    require_apart(document, start, end, known, part, relevant_start, relevant_end, fresh, good);
    const std::size_t count = document.shape(0);
    require_count(start.shape(0), count, "start");
    require_count(end.shape(0), count, "end");
    require_count(fresh.shape(0), count, "fresh");
    require_count(good.shape(0), count, "good");
    const berrypick::RelevantText<T> text = relevant_text(known, part, relevant_start, relevant_end);
    for (std::size_t i = 1; i < known.shape(0); ++i)
        require(known.data()[i - 1] < known.data()[i], "known documents must be sorted");
    const nb::gil_scoped_release released;
    for (const auto* positions : {&start, &end, &relevant_start, &relevant_end})
        if (!berrypick::measurable(positions->data(), positions->shape(0))) return false;
    berrypick::FirstSeenOfList<T>()({document.data(), count}, start.data(), end.data(), text, fresh.data(), good.data());
    return true;
}

void read_lists(In<Index> bounds, In<Index> document, In<Index> start, In<Index> end, In<Index> from, In<Index> to,
                In<Index> code, In<Index> part, In<Index> relevant_start, In<Index> relevant_end, Out<double> fresh,
                Out<double> good, Out<Index> number, Out<Index> place) {
    require_apart(bounds, document, start, end, from, to, code, part, relevant_start, relevant_end, fresh, good, number,
                  place);
    const std::size_t count = document.shape(0);
    require_bounds(bounds, count, "bounds");
    const std::size_t topics = bounds.shape(0) - 1;
    for (const auto* column : {&start, &end}) {
        require_count(column->shape(0), count, "positions");
        require(berrypick::measurable(column->data(), count), "positions are too far out");
    }
    for (const auto* column : {&fresh, &good}) require_count(column->shape(0), count, "lengths");
    for (const auto* column : {&number, &place}) require_count(column->shape(0), count, "numbers");
    require_count(from.shape(0), topics, "from");
    require_count(to.shape(0), topics, "to");
    for (std::size_t i = 0; i < topics; ++i)
        require(from.data()[i] >= 0 && from.data()[i] <= to.data()[i] && std::size_t(to.data()[i]) <= code.shape(0),
                "the relevant text of a topic is out of range");
    const berrypick::RelevantText<Index> text = relevant_text(code, part, relevant_start, relevant_end);
    for (const auto* column : {&relevant_start, &relevant_end})
        require(berrypick::measurable(column->data(), column->shape(0)), "positions are too far out");
    const nb::gil_scoped_release released;
    berrypick::read_lists(bounds.data(), topics, document.data(), start.data(), end.data(), from.data(), to.data(), text,
                          fresh.data(), good.data(), number.data(), place.data());
}

void best_precision(In<Index> bounds, In<double> fresh, In<double> good, In<double> total, In<double> hundredth,
                    Out2<double> out) {
    require_apart(bounds, fresh, good, total, hundredth, out);
    require_bounds(bounds, fresh.shape(0), "bounds");
    const std::size_t topics = bounds.shape(0) - 1, levels = hundredth.shape(0);
    require_count(good.shape(0), fresh.shape(0), "good");
    require_count(total.shape(0), topics, "total");
    require_count(out.shape(0), topics, "rows of out");
    require_count(out.shape(1), levels, "columns of out");
    const nb::gil_scoped_release released;
    berrypick::best_precision(bounds.data(), topics, fresh.data(), good.data(), total.data(), hundredth.data(), levels,
                              out.data());
}

void first_seen_areas(In<Index> page, In2<double> box, In<Index> relevant_page, In2<double> relevant_box,
                      Out<double> fresh, Out<double> good) {
    require_apart(page, box, relevant_page, relevant_box, fresh, good);
    const std::size_t count = page.shape(0), relevant = relevant_page.shape(0);
    require_count(box.shape(0), count, "box");
    require_count(relevant_box.shape(0), relevant, "relevant_box");
    require(box.shape(1) == 4 && relevant_box.shape(1) == 4, "a box has four edges");
    require_count(fresh.shape(0), count, "fresh");
    require_count(good.shape(0), count, "good");
    const nb::gil_scoped_release released;
    berrypick::first_seen_areas(page.data(), box.data(), count, relevant_page.data(), relevant_box.data(), relevant,
                                fresh.data(), good.data());
}

using Owned = nb::ndarray<nb::numpy, Index, nb::ndim<1>>;

Owned owned(std::vector<Index>&& values) {
    auto* kept = new std::vector<Index>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Index>*>(p); });
    return Owned(kept->data(), {kept->size()}, owner);
}

nb::tuple numbered_documents(In<Index> document) {
    require_apart(document);
    std::vector<Index> number, code;
    {
        const nb::gil_scoped_release released;
        const berrypick::Numbered found(document.data(), document.shape(0));
        number = found.number();
        code = found.code();
    }
    return nb::make_tuple(owned(std::move(number)), owned(std::move(code)));
}

// -1 where positions are too far out for 64-bit sums
double covered(In<Index> document, In<Index> start, In<Index> end) {
    require_apart(document, start, end);
    const std::size_t count = document.shape(0);
    require_count(start.shape(0), count, "start");
    require_count(end.shape(0), count, "end");
    const nb::gil_scoped_release released;
    // sums of so many lengths stay below 2^62
    const Index most = berrypick::furthest / Index(count + 1);
    for (std::size_t i = 0; i < count; ++i)
        if (start.data()[i] < -most || end.data()[i] > most) return -1.0;
    return berrypick::covered(document.data(), start.data(), end.data(), count);
}

// --- trees ---------------------------------------------------------------------------------------------------------

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

// The greedy lists of all recall values, one after the other, and where each begins; their values go into arrays.
nb::tuple greedy_lists(In<Index> rank, In<Index> target, In<double> probability, Index candidates, Out<double> length,
                       Out<double> inverse, Out<double> reached) {
    require_apart(rank, target, probability, length, inverse, reached);
    const std::size_t targets = length.shape(0);
    require_count(inverse.shape(0), targets, "inverse");
    require_count(reached.shape(0), targets, "reached");
    const berrypick::Entries all = entries(rank, target, probability, targets);
    require(candidates >= 0 && (all.count == 0 || (all.rank[0] >= 0 && all.rank[all.count - 1] < candidates)),
            "a candidate is out of range");
    std::vector<Index> lists, bounds;
    {
        const nb::gil_scoped_release released;
        berrypick::Greedy found(all, std::size_t(candidates), {length.data(), inverse.data(), reached.data(), targets});
        lists.swap(found.lists);
        bounds.swap(found.bounds);
    }
    return nb::make_tuple(owned(std::move(lists)), owned(std::move(bounds)));
}

// --- files ---------------------------------------------------------------------------------------------------------

// Python's own reading of a number. Words with underscores or letters beyond ASCII are numbers to it in ways that only
// float() knows.
berrypick::Number python_number(const berrypick::Token& word, double& value) {
    if (!berrypick::is_ascii(word.at, word.size) || std::memchr(word.at, '_', word.size)) return berrypick::Number::none;
    const std::string text(word.at, word.size);
    if (text.find('\0') != std::string::npos) return berrypick::Number::other;
    const nb::gil_scoped_acquire held;
    char* end = nullptr;
    const double found = PyOS_string_to_double(text.c_str(), &end, nullptr);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return berrypick::Number::other;
    }
    if (*end || !std::isfinite(found)) return berrypick::Number::other;
    value = found;
    return berrypick::Number::finite;
}

template <class T>
nb::object array(berrypick::Column<T>& column) {
    const std::size_t size = column.size();
    T* const data = column.release();
    nb::capsule owner(data, [](void* p) noexcept { std::free(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}

nb::object array(berrypick::PackedColumn<std::int64_t>& column) {
    return column.is_packed() ? array(column.narrow()) : array(column.wide());
}

// Numbers, or whole numbers and how many decimals of them are behind the point.
nb::object array(berrypick::PackedColumn<double>& column) {
    if (!column.is_packed()) return array(column.wide());
    return nb::make_tuple(array(column.narrow()), column.decimals());
}

// The numbers of lines, as a range where they are one.
nb::object array(berrypick::LineNumbers& given) {
    berrypick::LineNumbers lines = std::move(given);
    given = berrypick::LineNumbers();
    if (!lines.is_range()) return array(lines.numbers());
    return nb::module_::import_("builtins").attr("range")(lines.first(), lines.first() + Index(lines.size()));
}

nb::object vocabulary(berrypick::Vocabulary& names) {
    return nb::cast(new berrypick::Vocabulary(std::move(names)), nb::rv_policy::take_ownership);
}

nb::object decoded(const berrypick::Token& name) {
    PyObject* const text = PyUnicode_DecodeUTF8(name.at, Py_ssize_t(name.size), "strict");
    if (!text) throw nb::python_error();
    return nb::steal(text);
}

nb::object decoded(const std::string& text) { return decoded(berrypick::Token{text.data(), text.size()}); }

void columns(nb::dict& found, berrypick::TrecRunLines& lines) {
    found["score"] = array(lines.score);
    found["tag"] = decoded(lines.tag);
    found["longer"] = lines.longer;
}

void columns(nb::dict& found, berrypick::TrecQrelsLines& lines) { found["grade"] = array(lines.grade); }

void columns(nb::dict& found, berrypick::FolRunLines& lines) {
    found["kind"] = int(lines.kind);
    found["score"] = array(lines.score);
    found["start"] = array(lines.start);
    found["end"] = array(lines.end);
    found["path"] = array(lines.path);
    found["paths"] = vocabulary(lines.paths);
    found["tag"] = decoded(lines.tag);
    found["unlocated"] = lines.unlocated;
    found["falls"] = lines.falls;
    found["unscored"] = lines.unscored;
}

void columns(nb::dict& found, berrypick::FolTruthLines& lines) {
    found["length"] = array(lines.length);
    found["entry"] = array(lines.entry);
    found["first"] = array(lines.first);
    found["start"] = array(lines.start);
    found["end"] = array(lines.end);
    found["empty"] = lines.empty;
    found["overlapping"] = lines.overlapping;
    found["beyond"] = lines.beyond;
}

void columns(nb::dict& found, berrypick::MediaevalQrelsLines& lines) {
    found["start"] = array(lines.start);
    found["end"] = array(lines.end);
    found["grade"] = array(lines.grade);
}

void columns(nb::dict& found, berrypick::MediaevalRunLines& lines) {
    found["start"] = array(lines.start);
    found["end"] = array(lines.end);
    found["rank"] = array(lines.rank);
    found["score"] = array(lines.score);
    found["tag"] = decoded(lines.tag);
    found["moved"] = lines.moved;
}

void columns(nb::dict& found, berrypick::GenomicsRunLines& lines) {
    found["rank"] = array(lines.rank);
    found["start"] = array(lines.start);
    found["end"] = array(lines.end);
    found["score"] = array(lines.score);
    found["tag"] = decoded(lines.tag);
}

// A file on its way into columns.
class Lines {
public:
    virtual ~Lines() = default;
    // Read the whole lines at the start of a block, all of it at the end of the file; how many bytes that was, -1 if
    // the plain reader has to read this file. The block ends with bytes that are not filled.
    Index feed(In<std::uint8_t> block, std::size_t filled, bool last) {
        require(filled + berrypick::slack <= block.shape(0), "a block has room behind what it holds");
        const char* const bytes = reinterpret_cast<const char*>(block.data());
        const nb::gil_scoped_release released;
        std::size_t whole = filled;
        while (!last && whole && bytes[whole - 1] != '\n') --whole;
        if (whole && std::memchr(bytes, 0, whole)) return -1;  // NUL, which only the plain reader reports
        return read(bytes, whole) ? Index(whole) : -1;
    }
    // Read a file that is open for reading, from one byte to another, in parts that several threads read; false if the
    // plain reader has to read it.
    virtual bool read_parts(int file, std::int64_t begin, std::int64_t end, std::size_t part, std::size_t longest,
                            std::size_t threads) = 0;
    virtual nb::dict finish() = 0;

protected:
    virtual bool read(const char* bytes, std::size_t count) = 0;
};

template <class Format>
class LinesOf : public Lines {
public:
    bool read_parts(int file, std::int64_t begin, std::int64_t end, std::size_t part, std::size_t longest,
                    std::size_t threads) override {
        if constexpr (Format::joins) {
            require(part > 0 && part < longest && longest < (std::size_t(1) << 40), "a part is shorter than a line may be");
            require(0 <= begin && begin <= end, "a file begins before it ends");
            require(0 < threads && threads <= 64, "1 to 64 threads");
            bool done = false;
            {
                const nb::gil_scoped_release released;  // a thread that asks Python for a number takes it
                berrypick::Parts<Format> parts(file, begin, end, part, longest, format_);
                done = parts.read(threads, [] {
                    const nb::gil_scoped_acquire held;
                    return PyErr_CheckSignals() == 0;
                });
            }
            if (PyErr_Occurred()) throw nb::python_error();
            return done;
        } else {
            throw std::invalid_argument("this format is not read in parts");
        }
    }
    nb::dict finish() override {
        nb::dict found;
        found["stretch_topic"] = array(format_.topic);
        found["stretch_begins"] = array(format_.begins);
        found["topics"] = vocabulary(format_.topics);
        if constexpr (std::is_same_v<Format, berrypick::TrecRunLines>) {
            found["names"] = nb::cast(new berrypick::NameColumn(std::move(format_.names)), nb::rv_policy::take_ownership);
        } else {
            found["document"] = array(format_.document);
            found["documents"] = vocabulary(format_.documents);
        }
        found["line"] = array(format_.line);
        columns(found, format_);
        return found;
    }

protected:
    bool read(const char* bytes, std::size_t count) override { return reader_.feed(bytes, count, format_); }

private:
    Format format_{python_number};
    berrypick::Reader<Format> reader_;
};

// Spans as JSON Lines, by what stands under each name.
class SpanLines : public Lines {
public:
    SpanLines(const std::vector<berrypick::Token>& names, const std::vector<int>& slots) {
        require(names.size() == slots.size() && names.size() <= 64, "up to 64 names, with a slot each");
        for (std::size_t i = 0; i < names.size(); ++i) {
            require(slots[i] >= 0 && slots[i] <= berrypick::SpanRunLines::other_slot, "a slot is out of range");
            const auto slot = static_cast<berrypick::SpanRunLines::Slot>(slots[i]);
            lines_.fields.push_back({std::string(names[i].at, names[i].size), slot});
        }
    }
    bool read_parts(int, std::int64_t, std::int64_t, std::size_t, std::size_t, std::size_t) override {
        throw std::invalid_argument("this format is not read in parts");
    }
    nb::dict finish() override {
        nb::dict found;
        found["stretch_topic"] = array(lines_.topic);
        found["stretch_begins"] = array(lines_.begins);
        found["topics"] = vocabulary(lines_.topics);
        found["document"] = array(lines_.document);
        found["documents"] = vocabulary(lines_.documents);
        found["line"] = array(lines_.line);
        found["tag"] = decoded(lines_.tag);
        static constexpr const char* names[] = {"start", "end", "score", "rank"};
        for (int i = 0; i < berrypick::SpanRunLines::numbers; ++i)
            if (lines_.has(static_cast<berrypick::SpanRunLines::Slot>(berrypick::SpanRunLines::start_slot + i)))
                found[names[i]] = array(lines_.column[i]);
        if (lines_.has(berrypick::SpanRunLines::text_slot)) {
            nb::list texts;
            for (std::size_t i = 0; i < lines_.texts.size(); ++i)
                texts.append(decoded(lines_.texts.name(lines_.texts.places()[i])));
            found["text"] = texts;
        }
        nb::list others;  // the first line that has something that is not read, and where in it
        for (const berrypick::SpanRunLines::Field& field : lines_.fields)
            if (field.line) others.append(nb::make_tuple(field.line, field.place, decoded(field.name)));
        found["others"] = others;
        return found;
    }

protected:
    bool read(const char* bytes, std::size_t count) override { return lines_.feed(bytes, count); }

private:
    berrypick::SpanRunLines lines_{python_number};
};

Lines* lines_of(const char* name) {
    const std::string format(name);
    if (format == "trec-run") return new LinesOf<berrypick::TrecRunLines>();
    if (format == "trec-qrels") return new LinesOf<berrypick::TrecQrelsLines>();
    if (format == "inex-fol-run") return new LinesOf<berrypick::FolRunLines>();
    if (format == "inex-fol-truth") return new LinesOf<berrypick::FolTruthLines>();
    if (format == "mediaeval-qrels") return new LinesOf<berrypick::MediaevalQrelsLines>();
    if (format == "mediaeval-run") return new LinesOf<berrypick::MediaevalRunLines>();
    if (format == "genomics-run") return new LinesOf<berrypick::GenomicsRunLines>();
    throw std::invalid_argument("no such format: " + format);
}

nb::list all_names(const berrypick::Vocabulary& names) {
    nb::list found;
    for (std::size_t code = 0; code < names.size(); ++code) found.append(decoded(names.name(code)));
    return found;
}

nb::object one_name(const berrypick::Vocabulary& names, Index code) {
    if (code < 0 || std::size_t(code) >= names.size()) throw nb::index_error("no name has this code");
    return decoded(names.name(std::size_t(code)));
}

// A text as UTF-8; empty if it is no text, or one that UTF-8 has no form for: surely not among the names of a file.
berrypick::Token utf8(nb::handle text) {
    Py_ssize_t size = 0;
    const char* const found = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (found) return {found, std::size_t(size)};
    PyErr_Clear();
    return {"", 0};
}

std::vector<berrypick::Token> utf8_of(const nb::list& texts) {
    std::vector<berrypick::Token> found;
    found.reserve(nb::len(texts));
    for (const nb::handle text : texts) found.push_back(utf8(text));
    return found;
}

// The codes of texts, -1 for those that are not known. Some at a time, as in berrypick::Coder.
void find_names(const berrypick::Vocabulary& names, nb::list wanted, Out<Index> out) {
    require_apart(out);
    require_count(out.shape(0), nb::len(wanted), "out");
    constexpr std::size_t width = 32;
    berrypick::Token words[width];
    std::uint64_t hashes[width];
    const std::size_t count = nb::len(wanted);
    for (std::size_t from = 0; from < count; from += width) {
        const std::size_t some = std::min(width, count - from);
        for (std::size_t i = 0; i < some; ++i) {
            words[i] = utf8(wanted[from + i]);
            hashes[i] = berrypick::Vocabulary::hash(words[i]);
            names.prefetch_slot(hashes[i]);
        }
        for (std::size_t i = 0; i < some; ++i) names.prefetch_name(hashes[i]);
        for (std::size_t i = 0; i < some; ++i) out.data()[from + i] = names.find(words[i], hashes[i]);
    }
}

Lines* span_lines(nb::list names, nb::list slots) {
    std::vector<int> chosen;
    for (const nb::handle slot : slots) chosen.push_back(nb::cast<int>(slot));
    return new SpanLines(utf8_of(names), chosen);
}

// --- data as JSON --------------------------------------------------------------------------------------------------

// Columns are arrays of whole numbers or lists of texts; the rows between two bounds are one text.
nb::list json_rows(nb::list given, In<Index> bounds) {
    require_apart(bounds);
    require(bounds.shape(0) >= 1 && bounds.data()[0] == 0, "bounds begin with 0");
    const Index rows = bounds.data()[bounds.shape(0) - 1];
    for (std::size_t i = 1; i < bounds.shape(0); ++i)
        require(bounds.data()[i - 1] <= bounds.data()[i], "bounds ascend");
    std::vector<berrypick::JsonColumn> columns;
    for (const nb::handle one : given) {
        berrypick::JsonColumn column{nullptr, {}};
        if (nb::isinstance<nb::list>(one)) {
            column.texts = utf8_of(nb::borrow<nb::list>(one));
            require_count(column.texts.size(), std::size_t(rows), "texts");
            for (const berrypick::Token& text : column.texts) require(text.size > 0, "a text is missing");
        } else {
            In<Index> numbers;
            require(nb::try_cast(one, numbers, false), "a column is no array of whole numbers");
            require_apart(numbers);
            require_count(numbers.shape(0), std::size_t(rows), "numbers");
            column.numbers = numbers.data();  // which the list holds
        }
        columns.push_back(std::move(column));
    }
    nb::list found;
    for (std::size_t i = 1; i < bounds.shape(0); ++i) {
        const auto from = std::size_t(bounds.data()[i - 1]), to = std::size_t(bounds.data()[i]);
        const std::string text = berrypick::json_rows(columns, from, to);
        found.append(nb::str(text.data(), text.size()));
    }
    return found;
}

// --- names without codes -------------------------------------------------------------------------------------------

// The names of rows that are given as texts; None if one is no text that UTF-8 has a form for, or is too long.
nb::object name_column(nb::list names) {
    berrypick::NameColumn found;
    for (const nb::handle text : names) {
        Py_ssize_t size = 0;
        const char* const name = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
        if (!name) PyErr_Clear();
        if (!name || !found.add({name, std::size_t(size)})) return nb::none();
    }
    return nb::cast(new berrypick::NameColumn(std::move(found)), nb::rv_policy::take_ownership);
}

// Whether a text is one that may be a name: not empty, and printable as Python has it.
bool is_name(PyObject* text, const char* bytes, std::size_t size) {
    bool plain = size > 0;
    for (std::size_t i = 0; i < size; ++i) plain &= bytes[i] >= ' ' && bytes[i] <= '~';
    return plain || (size && !berrypick::is_ascii(bytes, size) &&
                     nb::cast<bool>(nb::borrow<nb::object>(text).attr("isprintable")()));
}

// A number as a double, nan for what is no float or whole number, or one that is not held exactly.
double plain_number(PyObject* value) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN(), largest = 9007199254740992.0;
    if (!PyFloat_CheckExact(value) && !PyLong_CheckExact(value)) return none;
    const double found = PyFloat_CheckExact(value) ? PyFloat_AsDouble(value) : PyLong_AsDouble(value);
    if (PyErr_Occurred()) PyErr_Clear();  // -1, for a whole number that is too large
    else if (found > -largest && found < largest) return found;
    return none;
}

// Dictionaries of documents to numbers: the names and the numbers of all rows, and where the rows of each begin and the
// last ones end. None if a name or a number has to be looked at in Python, or all names may be those of spans.
nb::object number_columns(nb::list given) {
    berrypick::NameColumn names;
    berrypick::Column<double> numbers;
    berrypick::Column<Index> bounds;
    bool spans = true;
    for (const nb::handle one : given) {
        bounds.push(Index(names.size()));
        if (!PyDict_CheckExact(one.ptr())) return nb::none();
        PyObject *name = nullptr, *value = nullptr;
        for (Py_ssize_t at = 0; PyDict_Next(one.ptr(), &at, &name, &value);) {
            if (!PyUnicode_CheckExact(name)) return nb::none();
            Py_ssize_t size = 0;
            const char* const bytes = PyUnicode_AsUTF8AndSize(name, &size);
            if (!bytes) PyErr_Clear();
            const double number = plain_number(value);
            if (!bytes || !(number == number) || !is_name(name, bytes, std::size_t(size))) return nb::none();
            if (!names.add({bytes, std::size_t(size)})) return nb::none();
            numbers.push(number);
            spans = spans && std::memchr(bytes, '#', std::size_t(size));
        }
    }
    if (spans) return nb::none();
    bounds.push(Index(names.size()));
    nb::object column = nb::cast(new berrypick::NameColumn(std::move(names)), nb::rv_policy::take_ownership);
    return nb::make_tuple(column, array(numbers), array(bounds));
}

void require_places(const berrypick::NameColumn& names, const In<std::uint64_t>& place) {
    bool sound = true;
    for (std::size_t i = 0; i < place.shape(0); ++i) sound &= names.holds(place.data()[i]);
    require(sound, "a name lies outside of the column");
}

// The memory of the column itself, which stays as long as the array does.
nb::object name_places(const berrypick::NameColumn& names) {
    static const std::uint64_t nothing = 0;
    const std::uint64_t* const found = names.size() ? names.places() : &nothing;
    return nb::cast(nb::ndarray<nb::numpy, const std::uint64_t, nb::ndim<1>>(found, {names.size()}, nb::find(names)));
}

nb::object name_at(const berrypick::NameColumn& names, std::uint64_t row) {
    require(row < names.size(), "no such row");
    return decoded(names.name(names.places()[row]));
}

bool has_any_name(const berrypick::NameColumn& names, nb::list wanted) {
    return berrypick::has_any(names, utf8_of(wanted));
}

bool has_more_names(const berrypick::NameColumn& names, std::size_t most) {
    require(most < (std::size_t(1) << 30), "that many names are not counted");
    const nb::gil_scoped_release released;
    return berrypick::has_more(names, most);
}

// whether any name is known, and the rows of those that may be but for their form
nb::tuple look(const berrypick::KnownNames& known, const berrypick::NameColumn& names) {
    std::vector<Index> near;
    bool any = false;
    {
        const nb::gil_scoped_release released;
        any = known.look(names, near);
    }
    return nb::make_tuple(any, owned(std::move(near)));
}

nb::tuple interned(const berrypick::NameColumn& names) {
    require(names.size() < std::size_t(std::numeric_limits<std::int32_t>::max()), "too many names");
    berrypick::Vocabulary found;
    berrypick::Column<std::int32_t> codes;
    {
        const nb::gil_scoped_release released;
        berrypick::intern(names, found, codes);
    }
    return nb::make_tuple(vocabulary(found), array(codes));
}

void files(nb::module_& m) {
    nb::class_<Lines>(m, "Lines")
        .def("feed", &Lines::feed, "block"_a.noconvert(), "filled"_a, "last"_a)
        .def("read_parts", &Lines::read_parts, "file"_a, "begin"_a, "end"_a, "part"_a, "longest"_a, "threads"_a)
        .def("finish", &Lines::finish);
    m.def("json_rows", json_rows, "columns"_a, "bounds"_a.noconvert());
    m.def("lines_of", lines_of, "format"_a, nb::rv_policy::take_ownership);
    m.def("span_lines", span_lines, "names"_a, "slots"_a, nb::rv_policy::take_ownership);
    nb::class_<berrypick::Vocabulary>(m, "Vocabulary")
        .def("__len__", &berrypick::Vocabulary::size)
        .def("name", one_name, "code"_a)
        .def("names", all_names)
        .def("find", find_names, "names"_a, "out"_a.noconvert());
    nb::class_<berrypick::NameColumn>(m, "NameColumn")
        .def("__len__", &berrypick::NameColumn::size)
        .def("name", name_at, "row"_a)
        .def("places", name_places)
        .def("has_any", has_any_name, "names"_a)
        .def("has_more", has_more_names, "most"_a)
        .def("interned", interned);
    m.def("name_column", name_column, "names"_a);
    m.def("number_columns", number_columns, "given"_a);
    nb::class_<berrypick::KnownNames>(m, "KnownNames")
        .def("__init__", [](berrypick::KnownNames* at, nb::list names, nb::list prints) {
            new (at) berrypick::KnownNames(utf8_of(names), utf8_of(prints));
        }, "names"_a, "prints"_a)
        .def("look", look, "names"_a);
}

// --- documents -----------------------------------------------------------------------------------------------------

void require_codes(const std::int32_t* code, std::size_t count, std::size_t vocabulary) {
    for (std::size_t i = 0; i < count; ++i)
        require(code[i] >= 0 && std::size_t(code[i]) < vocabulary, "a document is out of range");
}

// which topics point to a document twice
void repeated_documents(In<Index> bounds, In<std::int32_t> document, std::size_t vocabulary, Out<bool> out) {
    require_apart(bounds, document, out);
    require_bounds(bounds, document.shape(0), "bounds lead from 0 to the number of rows");
    require_count(out.shape(0), bounds.shape(0) - 1, "out");
    const nb::gil_scoped_release released;
    require_codes(document.data(), document.shape(0), vocabulary);
    berrypick::repeated_documents(bounds.data(), out.shape(0), document.data(), vocabulary, out.data());
}

// which topics may point to a span twice: equal spans have equal fingerprints
template <class T>
void repeated_spans(In<Index> bounds, In<std::int32_t> document, In<T> start, In<T> end, Out<bool> out) {
    require_apart(bounds, document, start, end, out);
    require_bounds(bounds, document.shape(0), "bounds lead from 0 to the number of rows");
    require_count(start.shape(0), document.shape(0), "start");
    require_count(end.shape(0), document.shape(0), "end");
    require_count(out.shape(0), bounds.shape(0) - 1, "out");
    const nb::gil_scoped_release released;
    berrypick::repeated_spans(bounds.data(), out.shape(0), document.data(), start.data(), end.data(), out.data());
}

// Judged documents among the retrieved ones; see berrypick::judged_hits.
nb::tuple judged_hits(In<Index> from, In<Index> to, In<std::int32_t> document, In<Index> judged_bounds,
                      In<Index> judged, std::size_t vocabulary, Out<Index> retrieved) {
    require_apart(from, to, document, judged_bounds, judged, retrieved);
    const std::size_t topics = from.shape(0);
    require_count(to.shape(0), topics, "to");
    require_count(retrieved.shape(0), topics, "retrieved");
    require_count(judged_bounds.shape(0), topics + 1, "judged_bounds");
    require_bounds(judged_bounds, judged.shape(0), "judged_bounds lead from 0 to the number of judged documents");
    for (std::size_t i = 0; i < topics; ++i)
        require(from.data()[i] >= 0 && from.data()[i] <= to.data()[i] && std::size_t(to.data()[i]) <= document.shape(0),
                "the rows of a topic are rows of the run");
    for (std::size_t i = 0; i < judged.shape(0); ++i)
        require(judged.data()[i] >= -1 && judged.data()[i] < Index(vocabulary), "a judged document is out of range");
    std::vector<Index> row, rank;
    {
        const nb::gil_scoped_release released;
        require_codes(document.data(), document.shape(0), vocabulary);
        berrypick::judged_hits(from.data(), to.data(), topics, document.data(), judged_bounds.data(), judged.data(),
                               vocabulary, retrieved.data(), row, rank);
    }
    return nb::make_tuple(owned(std::move(row)), owned(std::move(rank)));
}

void repeated_names(In<Index> bounds, const berrypick::NameColumn& names, In<std::uint64_t> place, Out<bool> out) {
    require_apart(bounds, place, out);
    require_bounds(bounds, place.shape(0), "bounds");
    require_count(out.shape(0), bounds.shape(0) - 1, "out");
    require(place.shape(0) < (std::size_t(1) << 31), "too many rows");
    const nb::gil_scoped_release released;
    require_places(names, place);
    berrypick::repeated_names(bounds.data(), out.shape(0), names, place.data(), out.data());
}

void judged_names(berrypick::JudgedNames* at, In<Index> bounds, nb::list names) {
    require_apart(bounds);
    require(nb::len(names) < (std::size_t(1) << 31), "too many judged documents");
    require_bounds(bounds, nb::len(names), "bounds lead from 0 to the number of judged documents");
    new (at) berrypick::JudgedNames(bounds.data(), bounds.shape(0) - 1, utf8_of(names));
}

nb::tuple find_judged(const berrypick::JudgedNames& judged, In<Index> from, In<Index> to,
                      const berrypick::NameColumn& names, In<std::uint64_t> place, In<Index> moved,
                      In<Index> moved_from) {
    require_apart(from, to, place, moved, moved_from);
    const std::size_t others = moved.shape(0);
    require_count(moved_from.shape(0), others, "moved_from");
    for (std::size_t i = 0; i < others; ++i)
        require((i == 0 || moved.data()[i - 1] < moved.data()[i]) && moved_from.data()[i] >= 0 &&
                    std::size_t(moved_from.data()[i]) < place.shape(0),
                "rows that are moved rise, and come from rows of the run");
    const std::size_t topics = judged.topics();
    require_count(from.shape(0), topics, "from");
    require_count(to.shape(0), topics, "to");
    for (std::size_t i = 0; i < topics; ++i)
        require(from.data()[i] >= 0 && from.data()[i] <= to.data()[i] && std::size_t(to.data()[i]) <= place.shape(0),
                "the rows of a topic are rows of the run");
    std::vector<Index> row, rank;
    {
        const nb::gil_scoped_release released;
        require_places(names, place);
        judged.find(from.data(), to.data(), names, place.data(), {moved.data(), moved_from.data(), others}, row, rank);
    }
    return nb::make_tuple(owned(std::move(row)), owned(std::move(rank)));
}

void documents(nb::module_& m) {
    m.def("repeated_names", repeated_names, "bounds"_a.noconvert(), "names"_a, "place"_a.noconvert(),
          "out"_a.noconvert());
    nb::class_<berrypick::JudgedNames>(m, "JudgedNames")
        .def("__init__", judged_names, "bounds"_a.noconvert(), "names"_a)
        .def("find", find_judged, "from"_a.noconvert(), "to"_a.noconvert(), "names"_a, "place"_a.noconvert(),
             "moved"_a.noconvert(), "moved_from"_a.noconvert());
    m.def("repeated_documents", repeated_documents, "bounds"_a.noconvert(), "document"_a.noconvert(), "vocabulary"_a,
          "out"_a.noconvert());
    m.def("repeated_spans", repeated_spans<std::int32_t>, "bounds"_a.noconvert(), "document"_a.noconvert(), "start"_a.noconvert(),
          "end"_a.noconvert(), "out"_a.noconvert());
    m.def("repeated_spans", repeated_spans<Index>, "bounds"_a.noconvert(), "document"_a.noconvert(), "start"_a.noconvert(),
          "end"_a.noconvert(), "out"_a.noconvert());
    m.def("judged_hits", judged_hits, "from"_a.noconvert(), "to"_a.noconvert(), "document"_a.noconvert(),
          "judged_bounds"_a.noconvert(), "judged"_a.noconvert(), "vocabulary"_a, "retrieved"_a.noconvert());
}

// --- similar text ----------------------------------------------------------------------------------------------------

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

void similar(nb::module_& m) {
    m.def("common_lengths", common_lengths, "code"_a.noconvert(), "text"_a.noconvert(), "out"_a.noconvert());
    m.def("alike_blocks", alike_blocks<std::uint8_t>, "code"_a.noconvert(), "text"_a.noconvert(), "block"_a, "width"_a,
          "least"_a, "out"_a.noconvert());
    m.def("alike_blocks", alike_blocks<std::uint16_t>, "code"_a.noconvert(), "text"_a.noconvert(), "block"_a,
          "width"_a, "least"_a, "out"_a.noconvert());
    m.def("alike_blocks", alike_blocks<std::uint32_t>, "code"_a.noconvert(), "text"_a.noconvert(), "block"_a,
          "width"_a, "least"_a, "out"_a.noconvert());
    m.def("best_span", best_span, "code"_a.noconvert(), "text"_a.noconvert(), "until"_a, "width"_a);
}

// --- lines through corners -------------------------------------------------------------------------------------------

void interpolate(nb::list lines, In<Index> line, In<double> position, Out<double> out) {
    require_apart(line, position, out);
    require_count(position.shape(0), line.shape(0), "position");
    require_count(out.shape(0), line.shape(0), "out");
    std::vector<std::pair<In<double>, In<double>>> corners;
    corners.reserve(lines.size());
    for (nb::handle one : lines) {
        corners.push_back(nb::cast<std::pair<In<double>, In<double>>>(one, false));
        const auto& [x, y] = corners.back();
        require_apart(x, out);
        require_apart(y, out);
        require(x.shape(0) > 0, "a line has a corner");
        require_count(y.shape(0), x.shape(0), "corners");
    }
    for (std::size_t i = 0; i < line.shape(0); ++i) {
        require(line.data()[i] >= 0 && std::size_t(line.data()[i]) < corners.size(), "a line is out of range");
        const auto& [x, y] = corners[std::size_t(line.data()[i])];
        out.data()[i] = berrypick::height(x.data(), y.data(), x.shape(0), position.data()[i]);
    }
}

// --- resamples -------------------------------------------------------------------------------------------------------

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

void resampling(nb::module_& m) {
    m.def("interpolate", interpolate, "lines"_a, "line"_a.noconvert(), "position"_a.noconvert(), "out"_a.noconvert());
    m.def("extreme_sign_changes", extreme_sign_changes, "columns"_a.noconvert(), "signs"_a.noconvert(),
          "least"_a.noconvert(), "out"_a.noconvert());
    m.def("order_statistics", order_statistics, "rows"_a.noconvert(), "rank"_a.noconvert(), "out"_a.noconvert(),
          "wide"_a = true);
    m.def("extreme_sums", extreme_sums, "value"_a.noconvert(), "bounds"_a.noconvert(), "least"_a.noconvert(),
          "out"_a.noconvert());
}

template <class T>
void text(nb::module_& m) {
    m.def("merge", merge<T>, "start"_a.noconvert(), "end"_a.noconvert(), "merged_start"_a.noconvert(),
          "merged_end"_a.noconvert());
    m.def("intersections", intersections<T>, "start"_a.noconvert(), "end"_a.noconvert(), "other_start"_a.noconvert(),
          "other_end"_a.noconvert(), "out"_a.noconvert());
    m.def("first_seen", first_seen<T>, "document"_a.noconvert(), "start"_a.noconvert(), "end"_a.noconvert(),
          "known"_a.noconvert(), "part"_a.noconvert(), "relevant_start"_a.noconvert(), "relevant_end"_a.noconvert(),
          "fresh"_a.noconvert(), "good"_a.noconvert());
}

}  // namespace

NB_MODULE(_native, m) {
    // names of a file may outlive the interpreter in a cache; that is no error of the user
    nb::set_leak_warnings(false);
    m.doc() = "The compiled kernels; berrypick.kernels has them behind the same functions as their NumPy forms.";
    m.def("weighted_law", weighted_law, "rank"_a.noconvert(), "target"_a.noconvert(), "probability"_a.noconvert(),
          "weight"_a.noconvert(), "out"_a.noconvert(), "form"_a = 0);
    m.def("weighted_bounds", weighted_bounds, "rank"_a.noconvert(), "target"_a.noconvert(),
          "probability"_a.noconvert(), "weight"_a.noconvert(), "high"_a, "out"_a.noconvert());
    m.def("law_over_events", law_over_events, "rank"_a.noconvert(), "target"_a.noconvert(),
          "probability"_a.noconvert(), "out"_a.noconvert(), "form"_a = 0);
    m.def("law_of_rows", law_of_rows, "seen"_a.noconvert(), "unseen"_a.noconvert(), "out"_a.noconvert());
    m.def("consulted", consulted, "rank"_a.noconvert(), "target"_a.noconvert(), "probability"_a.noconvert(),
          "gap"_a.noconvert(), "exact"_a, "fresh"_a.noconvert(), "read"_a.noconvert(), "last"_a.noconvert(),
          "form"_a = 0);
    bind_lists(m);
    bind_chains(m);
    text<std::int64_t>(m);
    text<double>(m);
    m.def("read_lists", read_lists, "bounds"_a.noconvert(), "document"_a.noconvert(), "start"_a.noconvert(),
          "end"_a.noconvert(), "from"_a.noconvert(), "to"_a.noconvert(), "code"_a.noconvert(), "part"_a.noconvert(),
          "relevant_start"_a.noconvert(), "relevant_end"_a.noconvert(), "fresh"_a.noconvert(), "good"_a.noconvert(),
          "number"_a.noconvert(), "place"_a.noconvert());
    m.def("best_precision", best_precision, "bounds"_a.noconvert(), "fresh"_a.noconvert(), "good"_a.noconvert(),
          "total"_a.noconvert(), "hundredth"_a.noconvert(), "out"_a.noconvert());
    m.def("numbered_documents", numbered_documents, "document"_a.noconvert());
    m.def("covered", covered, "document"_a.noconvert(), "start"_a.noconvert(), "end"_a.noconvert());
    m.def("first_seen_areas", first_seen_areas, "page"_a.noconvert(), "box"_a.noconvert(),
          "relevant_page"_a.noconvert(), "relevant_box"_a.noconvert(), "fresh"_a.noconvert(), "good"_a.noconvert());
    files(m);
    documents(m);
    similar(m);
    resampling(m);
    m.def("greedy_lists", greedy_lists, "rank"_a.noconvert(), "target"_a.noconvert(), "probability"_a.noconvert(),
          "candidates"_a, "length"_a.noconvert(), "inverse"_a.noconvert(), "reached"_a.noconvert());
    m.def("nested_pairs", nested_pairs, "document"_a.noconvert(), "start"_a.noconvert(), "end"_a.noconvert(),
          "other_document"_a.noconvert(), "other_start"_a.noconvert(), "other_end"_a.noconvert());
    m.def("unseen_lengths", unseen_lengths, "document"_a.noconvert(), "start"_a.noconvert(), "end"_a.noconvert(),
          "length"_a.noconvert(), "out"_a.noconvert());
}
