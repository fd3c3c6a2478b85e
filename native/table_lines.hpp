// Spans as a table whose cells are separated by commas or TABs, in columns. Read here are rows of as many cells as the
// header has; whatever else there is makes the plain reader read the file.
#pragma once

#include <string>
#include <vector>

#include "span_rows.hpp"

namespace berrypick {

struct SpanTableLines : SpanRows {
    using SpanRows::SpanRows;
    char mark = ',';

    // How many bytes were read, up to the end of a row; -1: the plain reader has to read this file.
    std::int64_t feed(const char* text, std::size_t count, bool last) {
        if (!is_ascii(text, count) && !is_utf8(text, count)) return -1;
        const char* from = text;
        end_ = text + count;
        while (from < end_) {
            at_ = from;
            const Found found = cells(last);
            if (found == Found::open) break;  // the row goes on behind what there is
            if (found == Found::odd || !is_numbered(lines + 1) || !add_cells(lines + 1)) return -1;
            lines += breaks_ + 1;
            from = at_;
        }
        coder.flush();
        held_.clear();
        return last && from < end_ ? -1 : std::int64_t(from - text);
    }

private:
    enum class Found { row, open, odd };

    // The cells of one row; behind them is the next one.
    Found cells(bool last) {
        cells_.clear();
        breaks_ = 0;
        for (;;) {
            Token cell;
            if (at_ < end_ && *at_ == '"') {
                const Found found = quoted(cell, last);
                if (found != Found::row) return found;
            } else {
                const char* p = at_;
                while (p < end_ && *p != mark && *p != '\n' && *p != '\r') ++p;
                cell = {at_, std::size_t(p - at_)};
                at_ = p;
            }
            cells_.push_back(cell);
            if (at_ == end_) return last ? Found::row : Found::open;
            if (*at_ == mark) {
                ++at_;
                continue;
            }
            if (*at_ == '\r' && (++at_ == end_ || *at_ != '\n')) return Found::odd;
            if (*at_ != '\n') return Found::odd;
            ++at_;
            return Found::row;
        }
    }
    // A cell between quotes, which are doubled in it.
    Found quoted(Token& cell, bool last) {
        const char* const first = ++at_;
        bool doubled = false;
        for (;; ++at_) {
            const char* const found = static_cast<const char*>(std::memchr(at_, '"', std::size_t(end_ - at_)));
            if (!found) return last ? Found::odd : Found::open;
            if (found + 1 == end_ && !last) return Found::open;
            at_ = found + 1;
            if (at_ == end_ || *at_ != '"') break;
            doubled = true;
        }
        cell = {first, std::size_t(at_ - 1 - first)};
        for (const char* p = first; p < at_; ++p) {
            breaks_ += *p == '\n';
            if (*p == '\r' && p[1] != '\n') return Found::odd;
        }
        if (doubled) {
            std::string text;
            for (const char* p = first; p < at_ - 1; ++p) {
                text.push_back(*p);
                p += *p == '"';
            }
            held_.push_back(std::move(text));
            cell = {held_.back().data(), held_.back().size()};
        }
        return Found::row;
    }
    bool add_cells(std::int64_t line) {
        const Token& first = cells_[0];
        if (first.size && std::uint8_t(first.at[0]) >= 0x80 && !is_plain_utf8(first.at, first.size)) return false;
        std::size_t blank = 0;
        while (blank < first.size && is_space(first.at[blank])) ++blank;
        if (blank == first.size ? cells_.size() == 1 : first.at[blank] == '#') return true;
        if (blank < first.size && blank && std::uint8_t(first.at[blank]) >= 0x80) return false;
        if (cells_.size() != fields.size()) return false;
        if (!has_header_) return has_header_ = true;
        Row row;
        for (std::size_t i = 0; i < fields.size(); ++i)
            if (cells_[i].size && !add_cell(fields[i], cells_[i], row, line, i)) return false;
        return add_row(row, line);
    }
    bool add_cell(Field& field, const Token& cell, Row& row, std::int64_t line, std::size_t place) {
        row.met |= bit(field.slot);
        switch (field.slot) {
        case topic_slot:
        case document_slot:
            row.name[field.slot] = cell;
            return true;
        case tag_slot:
            row.tag = cell;
            return true;
        case text_slot:
            row.text = cell;
            return true;
        case other_slot:
        case any_slot:
            note(field, line, place);
            return true;
        case dropped_slot:
        case inside_slot:
            return false;
        default:
            return number_value(cell, row.value[field.slot - start_slot]);
        }
    }
    bool number_value(const Token& cell, Value& value) {
        if (!held_.empty() && cell.at == held_.back().data()) return false;  // behind it there is no slack
        if (decimal(cell, value.decimal)) {
            value.number = value.decimal.value();
            value.is_decimal = true;
        } else if (number(cell, value.number, slow) != Number::finite || value.number == 0) {
            return false;  // minus zero is zero in a table
        }
        return !is_large(value.number);
    }

    const char *at_ = nullptr, *end_ = nullptr;
    std::vector<Token> cells_;
    std::int64_t breaks_ = 0;  // line ends inside of the row
    bool has_header_ = false;
};

}  // namespace berrypick
