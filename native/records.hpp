// The text formats as columns, one struct each. `add` takes the words of a line that is neither blank nor a comment,
// and says whether the line is exactly as the format has it.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lines.hpp"

namespace berrypick {

// The columns that all have. Topics come in stretches: most lines have the topic of the line before.
struct Named {
    static constexpr bool wide = true;    // names beyond ASCII
    static constexpr bool joins = false;  // parts of a file that were read apart can be put together
    Vocabulary topics, documents;
    Column<std::int32_t> topic;  // of each stretch of lines with one topic
    Column<std::int64_t> begins;  // the first row of each stretch
    Column<std::int32_t> document;
    LineNumbers line;
    Coder coder{documents, document};
    NameColumn names;  // in place of codes: in a part of a file, which will get those of the whole
    bool is_part = false;
    Slow slow;

    explicit Named(Slow reader) : slow(reader) {}
    bool add_names(const Token& of_topic, const Token& name, std::int32_t number) {
        return add_topic(of_topic, number) && (is_part ? names.add(name) : coder.add(name));
    }
    bool add_topic(const Token& of_topic, std::int32_t number) {
        if (!topic.size() || of_topic.size != last_.size() || !equal(of_topic.at, last_.data(), last_.size())) {
            if (of_topic.size > Vocabulary::longest || topics.full()) return false;
            topic.push(topics.code(of_topic, Vocabulary::hash(of_topic)));
            begins.push(std::int64_t(line.size()));
            last_.assign(of_topic.at, of_topic.size);
        }
        line.push(number);
        return true;
    }
    // A score; nan in place of what is no number.
    Number add_score(const Token& word, PackedColumn<double>& score) const {
        Decimal found;
        if (decimal(word, found)) {
            score.push(found.whole, int(found.decimals));
            return Number::finite;
        }
        double value = 0;
        const Number read = berrypick::number(word, value, slow);
        if (read != Number::none) score.push_wide(read == Number::finite ? value : std::numeric_limits<double>::quiet_NaN());
        return read;
    }
    void flush() { coder.flush(); }
    // Add what was read of a later part of the file, after so many lines; false if there is no room.
    bool append_names(const Named& later, std::int32_t lines) {
        if (!topics.add_all(later.topics, topic_code_)) return false;
        const std::int64_t rows = std::int64_t(line.size());
        for (std::size_t i = 0; i < later.topic.size(); ++i) {
            const std::int32_t code = topic_code_[std::size_t(later.topic.data()[i])];
            if (i == 0 && topic.size() && topic.back() == code) continue;  // the stretch goes on
            topic.push(code);
            begins.push(rows + later.begins.data()[i]);
        }
        line.append(later.line, lines);
        return true;
    }
    bool append_codes(const Named& later) {
        for (std::size_t i = 0; i < later.names.size(); ++i)
            if (!coder.add(later.names.name(later.names.places()[i]))) return false;
        coder.flush();  // the names are gone after this
        return true;
    }

protected:
    std::vector<std::int32_t> topic_code_;  // of the last part that was added, by its own codes

private:
    std::string last_;
};

// topic Q0 document rank score tag; names in place of codes, which few evaluations of whole documents need
struct TrecRunLines : Named {
    using Named::Named;
    static constexpr bool joins = true;
    PackedColumn<double> score;
    std::string tag;
    std::int64_t longer = 0;  // lines with more columns, which are passed over

    bool add(const Token* words, std::size_t count, std::int32_t number) {
        if (count < 6 || add_score(words[4], score) != Number::finite) return false;
        longer += count > 6;
        if (tag.empty()) tag.assign(words[5].at, words[5].size);
        return add_topic(words[0], number) && names.add(words[2]);
    }
    void reserve(double times) {
        const auto rows = std::size_t(times * double(line.size()));
        score.reserve(rows);
        names.reserve(rows, std::size_t(times * double(names.bytes())));
    }
    bool append(const TrecRunLines& later, std::int32_t lines) {
        score.append(later.score);
        names.append(later.names);
        longer += later.longer;
        if (tag.empty()) tag = later.tag;
        return append_names(later, lines);
    }
};

// topic iteration document grade
struct TrecQrelsLines : Named {
    using Named::Named;
    Column<double> grade;

    bool add(const Token* words, std::size_t count, std::int32_t number) {
        double value = 0;
        if (count != 4 || berrypick::number(words[3], value, slow) != Number::finite) return false;
        grade.push(value);
        return add_names(words[0], words[2], number);
    }
};

// topic Q0 document rank score tag, then offset and length, an offset alone, or the path of an element
struct FolRunLines : Named {
    using Named::Named;
    static constexpr bool joins = true;
    static constexpr std::int64_t nowhere_size = 18;  // characters of a passage that could not be located
    enum class Kind : int { unknown, passage, point, element };

    PackedColumn<double> score;
    PackedColumn<std::int64_t> start, end;
    Vocabulary paths;
    Column<std::int32_t> path;
    Kind kind = Kind::unknown;
    std::string tag;
    std::int64_t unlocated = 0, falls = 0, unscored = 0;

    bool add(const Token* words, std::size_t count, std::int32_t number) {
        if (count != 7 && count != 8) return false;
        const bool on_path = *words[6].at == '/';
        const Kind found = on_path ? Kind::element : count == 8 ? Kind::passage : Kind::point;
        if (kind == Kind::unknown) kind = found;
        if (found != kind || (on_path && (count == 8 || words[6].size > Vocabulary::longest))) return false;
        if (!(on_path ? add_path(words[6]) : add_place(words, count))) return false;
        const Number read = add_score(words[4], score);
        if (read == Number::none) return false;
        unscored += read != Number::finite;
        if (tag.empty()) tag.assign(words[5].at, words[5].size);
        if (!add_names(words[0], words[2], number)) return false;
        count_fall(topic.back(), whole(words[3]));
        return true;
    }
    void reserve(double times) {
        const auto rows = std::size_t(times * double(line.size()));
        document.reserve(rows);
        score.reserve(rows);
        if (kind == Kind::element) return path.reserve(rows);
        start.reserve(rows);
        end.reserve(rows);
    }
    bool append(const FolRunLines& later, std::int32_t lines) {
        if (later.kind == Kind::unknown) return true;  // no line of it is a result
        if (kind == Kind::unknown) kind = later.kind;
        if (kind != later.kind || !append_names(later, lines) || !append_codes(later)) return false;
        score.append(later.score);
        append_places(later);
        unscored += later.unscored;
        if (tag.empty()) tag = later.tag;
        falls += later.falls;
        for (std::size_t i = 0; i < later.rank_.size(); ++i) {
            if (later.rank_[i].last < 0) continue;
            count_fall(topic_code_[i], later.rank_[i].first);
            rank_[std::size_t(topic_code_[i])].last = later.rank_[i].last;
        }
        return append_paths(later);
    }

private:
    bool add_path(const Token& word) {
        path.push(paths.code(word, Vocabulary::hash(word)));
        return true;
    }
    bool add_place(const Token* words, std::size_t count) {
        if (words[6].is("X") || words[6].is("-1")) {
            ++unlocated;
            push_place(-nowhere_size * unlocated, -nowhere_size * (unlocated - 1));
            return true;
        }
        const std::int64_t offset = whole(words[6]), length = count == 8 ? whole(words[7]) : 0;
        if (offset < 0 || length < 0) return false;
        push_place(offset, offset + length);
        return true;
    }
    void push_place(std::int64_t from, std::int64_t to) {
        start.push(from);
        end.push(to);
    }
    // how often the rank column falls from one line of a topic to its next
    void count_fall(std::int32_t of_topic, std::int64_t rank) {
        if (rank < 0) return;
        if (std::size_t(of_topic) >= rank_.size()) rank_.resize(std::size_t(of_topic) + 1);
        Ranks& known = rank_[std::size_t(of_topic)];
        falls += rank < known.last;
        if (known.last < 0) known.first = rank;
        known.last = rank;
    }
    // what could not be located is numbered through the whole file
    void append_places(const FolRunLines& later) {
        if (!later.unlocated) {
            start.append(later.start);
            end.append(later.end);
            return;
        }
        for (std::size_t i = 0; i < later.start.size(); ++i) {
            const std::int64_t shift = later.start[i] < 0 ? nowhere_size * unlocated : 0;
            push_place(later.start[i] - shift, later.end[i] - shift);
        }
        unlocated += later.unlocated;
    }
    bool append_paths(const FolRunLines& later) {
        std::vector<std::int32_t> code;
        if (!paths.add_all(later.paths, code)) return false;
        for (std::size_t i = 0; i < later.path.size(); ++i) path.push(code[std::size_t(later.path.data()[i])]);
        return true;
    }
    struct Ranks {
        std::int64_t first = -1, last = -1;  // that a topic has in the rank column; -1: none
    };
    std::vector<Ranks> rank_;
};

// topic Q0 document relevant length [entry offset:length ...]
struct FolTruthLines : Named {
    using Named::Named;
    PackedColumn<std::int64_t> length, entry;  // of a document; the entry is -1 where nothing is relevant
    PackedColumn<std::int64_t> first;          // the first passage of each line
    PackedColumn<std::int64_t> start, end;     // of passages
    std::int64_t empty = 0, overlapping = 0, beyond = 0;

    bool add(const Token* words, std::size_t count, std::int32_t number) {
        if (count < 5 || count == 6) return false;
        const std::int64_t relevant = whole(words[3]), extent = whole(words[4]);
        const std::int64_t at = count > 5 ? whole(words[5]) : -1;
        if (relevant < 0 || extent < 0 || (count > 5 && at < 0)) return false;
        first.push(std::int64_t(start.size()));
        std::int64_t total = 0;
        spans_.clear();
        for (std::size_t i = 6; i < count; ++i) {
            const char* const colon = static_cast<const char*>(std::memchr(words[i].at, ':', words[i].size));
            if (!colon) return false;
            const std::size_t before = std::size_t(colon - words[i].at);
            const std::int64_t offset = whole({words[i].at, before});
            const std::int64_t size = whole({colon + 1, words[i].size - before - 1});
            if (offset < 0 || size < 0 || offset + size > extent) return false;
            total += size;
            empty += size == 0;
            start.push(offset);
            end.push(offset + size);
            spans_.emplace_back(offset, size);
        }
        if (total != relevant) return false;
        std::sort(spans_.begin(), spans_.end());
        for (std::size_t i = 1; i < spans_.size(); ++i)
            overlapping += spans_[i - 1].first + spans_[i - 1].second > spans_[i].first;
        beyond += at > extent;
        length.push(extent);
        entry.push(at);
        return add_names(words[0], words[2], number);
    }

private:
    std::vector<std::pair<std::int64_t, std::int64_t>> spans_;
};

// query Q0 video start end 0|1
struct MediaevalQrelsLines : Named {
    using Named::Named;
    Column<std::int64_t> start, end;
    Column<double> grade;

    bool add(const Token* words, std::size_t count, std::int32_t number) {
        if (count != 6 || !(words[5].is("0") || words[5].is("1"))) return false;
        const std::int64_t from = minutes_seconds(words[3]), to = minutes_seconds(words[4]);
        if (from < 0 || to <= from) return false;
        start.push(from);
        end.push(to);
        grade.push(words[5].is("1") ? 1.0 : 0.0);
        return add_names(words[0], words[2], number);
    }
};

// query Q0 video start end [jump_in] rank score [tag]
struct MediaevalRunLines : Named {
    using Named::Named;
    Column<std::int64_t> start, end;
    Column<double> rank, score;
    std::string tag;
    std::int64_t moved = 0;  // jump-in points that differ from the start

    bool add(const Token* words, std::size_t count, std::int32_t number) {
        for (const std::size_t place : {std::size_t(6), std::size_t(5)}) {  // with and without jump-in
            double value = 0;
            if ((count != place + 2 && count != place + 3) || whole(words[place]) < 0 ||
                berrypick::number(words[place + 1], value, slow) != Number::finite ||
                (place == 6 && minutes_seconds(words[5]) < 0))
                continue;
            const std::int64_t from = minutes_seconds(words[3]), to = minutes_seconds(words[4]);
            if (from < 0 || to < from) return false;
            moved += place == 6 && minutes_seconds(words[5]) != from;
            start.push(from);
            end.push(to);
            rank.push(double(whole(words[place])));
            score.push(value);
            if (count == place + 3 && tag.empty()) tag.assign(words[place + 2].at, words[place + 2].size);
            return add_names(words[0], words[2], number);
        }
        return false;
    }
};

// topic pmid rank score offset length tag; the file is in Latin-1, so names beyond ASCII are left to the plain reader
struct GenomicsRunLines : Named {
    using Named::Named;
    static constexpr bool wide = false;
    Column<std::int64_t> rank, start, end;
    Column<double> score;
    std::string tag;

    bool add(const Token* words, std::size_t count, std::int32_t number) {
        double value = 0;
        if (count != 7 || berrypick::number(words[3], value, slow) != Number::finite) return false;
        const std::int64_t place = whole(words[2]), offset = whole(words[4]), size = whole(words[5]);
        if (place < 0 || offset < 0 || size < 0) return false;
        rank.push(place);
        start.push(offset);
        end.push(offset + size);
        score.push(value);
        if (tag.empty()) tag.assign(words[6].at, words[6].size);
        return add_names(words[0], words[1], number);
    }
};

}  // namespace berrypick
