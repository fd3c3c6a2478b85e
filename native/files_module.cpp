// Files on their way into columns, and rows as JSON, as part of the Python module.
#include "columns.hpp"

#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "json_lines.hpp"
#include "json_rows.hpp"
#include "parts.hpp"
#include "records.hpp"
#include "table_lines.hpp"

using namespace bindings;

namespace {

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
        return read(bytes, whole, last);
    }
    // Read a file that is open for reading, from one byte to another, in parts that several threads read; false if the
    // plain reader has to read it.
    virtual bool read_parts(int file, std::int64_t begin, std::int64_t end, std::size_t part, std::size_t longest,
                            std::size_t threads) = 0;
    virtual nb::dict finish() = 0;

protected:
    // How many bytes were read, -1 if the plain reader has to read this file.
    virtual Index read(const char* bytes, std::size_t count, bool last) = 0;
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
    Index read(const char* bytes, std::size_t count, bool) override {
        return reader_.feed(bytes, count, format_) ? Index(count) : -1;
    }

private:
    Format format_{python_number};
    berrypick::Reader<Format> reader_;
};

// Spans, by what stands under each name: first the names of rows, then those of the object in them.
template <class Format>
class SpanLines : public Lines {
public:
    SpanLines(const std::vector<berrypick::Token>& names, const std::vector<int>& slots, std::size_t outer) {
        require(names.size() == slots.size() && 0 < outer && outer <= names.size(), "names, with a slot each");
        for (std::size_t i = 0; i < names.size(); ++i) {
            require(slots[i] >= 0 && slots[i] <= Format::inside_slot, "a slot is out of range");
            require(slots[i] != Format::inside_slot || i < outer, "one object in rows");
            lines.fields.push_back({std::string(names[i].at, names[i].size), static_cast<typename Format::Slot>(slots[i])});
        }
        lines.outer = outer;
    }
    bool read_parts(int, std::int64_t, std::int64_t, std::size_t, std::size_t, std::size_t) override {
        throw std::invalid_argument("this format is not read in parts");
    }
    nb::dict finish() override {
        nb::dict found;
        found["stretch_topic"] = array(lines.topic);
        found["stretch_begins"] = array(lines.begins);
        found["topics"] = vocabulary(lines.topics);
        found["document"] = array(lines.document);
        found["documents"] = vocabulary(lines.documents);
        found["line"] = array(lines.line);
        found["tag"] = decoded(lines.tag);
        nb::list numbers;  // none where the rows have no such number
        for (int i = 0; i < Format::numbers; ++i)
            numbers.append(lines.has(Format::start_slot + i) ? array(lines.column[i]) : nb::none());
        found["numbers"] = numbers;
        if (lines.has(Format::text_slot)) found["text"] = texts();
        nb::list others;  // the first line that has something that is not read, and where in it
        for (const auto& field : lines.fields)
            if (field.line) others.append(nb::make_tuple(field.line, field.place, decoded(field.name)));
        found["others"] = others;
        nb::list inner;
        for (const std::string& name : lines.inner_names) inner.append(decoded(name));
        found["inner_names"] = inner;
        return found;
    }

    Format lines{python_number};

protected:
    Index read(const char* bytes, std::size_t count, bool last) override {
        if constexpr (std::is_same_v<Format, berrypick::SpanTableLines>) {
            return Index(lines.feed(bytes, count, last));
        } else {
            return lines.feed(bytes, count) ? Index(count) : -1;
        }
    }

private:
    nb::list texts() const {
        nb::list found;
        for (std::size_t i = 0; i < lines.texts.size(); ++i)
            found.append(decoded(lines.texts.name(lines.texts.places()[i])));
        return found;
    }
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

std::vector<int> slots_of(const nb::list& slots) {
    std::vector<int> found;
    for (const nb::handle slot : slots) found.push_back(nb::cast<int>(slot));
    return found;
}

Lines* span_lines(nb::list names, nb::list slots, std::size_t outer) {
    require(nb::len(names) <= 64, "up to 64 names");
    return new SpanLines<berrypick::SpanJsonLines>(utf8_of(names), slots_of(slots), outer);
}

Lines* table_lines(nb::list names, nb::list slots, const char* mark) {
    require(std::strlen(mark) == 1 && *mark != '"' && *mark != '\n' && *mark != '\r', "a mark is one character");
    auto found = std::make_unique<SpanLines<berrypick::SpanTableLines>>(utf8_of(names), slots_of(slots), nb::len(names));
    found->lines.mark = *mark;
    return found.release();
}

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

}  // namespace

void bind_files(nb::module_& m) {
    nb::class_<Lines>(m, "Lines")
        .def("feed", &Lines::feed, "block"_a.noconvert(), "filled"_a, "last"_a)
        .def("read_parts", &Lines::read_parts, "file"_a, "begin"_a, "end"_a, "part"_a, "longest"_a, "threads"_a)
        .def("finish", &Lines::finish);
    m.def("json_rows", json_rows, "columns"_a, "bounds"_a.noconvert());
    m.def("lines_of", lines_of, "format"_a, nb::rv_policy::take_ownership);
    m.def("span_lines", span_lines, "names"_a, "slots"_a, "outer"_a, nb::rv_policy::take_ownership);
    m.def("table_lines", table_lines, "names"_a, "slots"_a, "mark"_a, nb::rv_policy::take_ownership);
}
