// Spans as JSON Lines, in columns. Read here are lines that are objects of texts and numbers under names that are known
// from the first lines, perhaps some of them in one object; whatever else there is makes the plain reader read the file.
#pragma once

#include <string>

#include "span_rows.hpp"

namespace berrypick {

struct SpanJsonLines : SpanRows {
    using SpanRows::SpanRows;

    // false: the plain reader has to read this file
    bool feed(const char* text, std::size_t count) {
        if (!is_ascii(text, count) && !is_utf8(text, count)) return false;
        const char *from = text, *const last = text + count;
        while (from < last) {
            const char* const found = static_cast<const char*>(std::memchr(from, '\n', std::size_t(last - from)));
            end_ = found ? found : last;
            at_ = from;
            if (!is_numbered(++lines) || !add_line()) return false;
            from = end_ + 1;
        }
        coder.flush();
        held_.clear();
        return true;
    }

private:
    static constexpr std::size_t most_inner = 256, most_names = 32;
    static constexpr int deepest = 32;

    bool add_line() {
        const char* p = at_;
        while (p < end_ && is_space(*p)) ++p;
        if (p == end_ || *p == '#') return true;
        Row row;
        return members(0, outer, row) && !next() && add_row(row, lines);
    }
    // An object whose fields are some of those that are known.
    bool members(std::size_t from, std::size_t to, Row& row) {
        if (!skip('{')) return false;
        if (from && skip('}')) return true;
        std::size_t place = from;
        do {
            if (!next() || *at_ != '"') return false;
            std::size_t number = place;
            if (!passes_name(place, to)) {
                Token key;
                if (!plain_text(key)) return false;
                number = field_of(key, place, from, to);
                if (number == to) return false;
            }
            if (!skip(':') || !next()) return false;
            Field& field = fields[number];
            const unsigned own = bit(field.slot);
            const bool several = field.slot >= other_slot;
            if (several ? row.met_others >> number & 1 : row.met & own) return false;  // a name twice
            row.met |= own;
            if (several) row.met_others |= std::uint64_t(1) << number;
            if (!value_of(field, row, from ? place - from : place + fields.size())) return false;
            ++place;
        } while (skip(','));
        return skip('}');
    }
    // `place`: where its name stands among those of the row, in which those of the object in it come first.
    bool value_of(Field& field, Row& row, std::size_t place) {
        switch (field.slot) {
        case topic_slot:
        case document_slot:
            return name_value(row.name[field.slot]);
        case tag_slot:
            return *at_ == '"' && text_value(row.tag);
        case text_slot:
            return *at_ == '"' && text_value(row.text);
        case inside_slot:
            return *at_ == '{' ? members(outer, fields.size(), row) : passes_word("null");
        case other_slot:
        case any_slot:
        case dropped_slot: {
            bool empty = false;
            if (field.slot == other_slot && (*at_ == '{' || *at_ == '[')) return false;
            if (!other_value(empty, field.slot == any_slot)) return false;
            if (!empty && field.slot != dropped_slot) note(field, lines, place);
            return true;
        }
        default:
            return number_value(row.value[field.slot - start_slot]);
        }
    }
    // Whether there is more in the line behind white space.
    bool next() {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
        return at_ < end_;
    }
    bool skip(char mark) {
        if (!next() || *at_ != mark) return false;
        ++at_;
        return true;
    }
    // Go behind the name that the first line has at this place, if it is here again. A name with a mark in it that is
    // escaped in a line is looked at as a text.
    bool passes_name(std::size_t place, std::size_t to) {
        if (place >= to) return false;
        const std::string& name = fields[place].name;
        if (std::size_t(end_ - at_) < name.size() + 2 || at_[name.size() + 1] != '"') return false;
        if (std::memcmp(at_ + 1, name.data(), name.size()) != 0) return false;
        if (text_end(at_ + 1, end_) != at_ + name.size() + 1) return false;
        at_ += name.size() + 2;
        return true;
    }
    // The first quote, backslash or control character.
    static const char* text_end(const char* p, const char* end) {
#if defined(BERRYPICK_SSE2)
        const __m128i quote = _mm_set1_epi8('"'), escape = _mm_set1_epi8('\\'), control = _mm_set1_epi8(0x1F);
        for (; end - p >= 16; p += 16) {
            const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
            const __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, escape));
            const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes);
            const auto found = unsigned(_mm_movemask_epi8(_mm_or_si128(marks, low)));
            if (found) return p + lowest_bit(found);
        }
#endif
        while (p < end && *p != '"' && *p != '\\' && std::uint8_t(*p) >= 0x20) ++p;
        return p;
    }
    // The field of a name; most lines have their names in the order of the first.
    std::size_t field_of(const Token& key, std::size_t place, std::size_t from, std::size_t to) const {
        const auto same = [&key](const Field& field) {
            return field.name.size() == key.size && std::memcmp(field.name.data(), key.at, key.size) == 0;
        };
        if (place < to && same(fields[place])) return place;
        std::size_t number = from;
        while (number < to && !same(fields[number])) ++number;
        return number;
    }
    // A text without escapes.
    bool plain_text(Token& found) {
        const char* const p = text_end(++at_, end_);
        if (p == end_ || *p != '"') return false;
        found = {at_, std::size_t(p - at_)};
        at_ = p + 1;
        return true;
    }
    bool text_value(Token& found) {
        const char* const begun = at_;
        if (plain_text(found)) return true;
        at_ = begun + 1;
        std::string text;
        while (at_ < end_ && *at_ != '"') {
            if (std::uint8_t(*at_) < 0x20) return false;
            if (*at_ != '\\') {
                text.push_back(*at_++);
                continue;
            }
            ++at_;
            if (!escaped(text)) return false;
        }
        if (at_ == end_) return false;
        ++at_;
        held_.push_back(std::move(text));
        found = {held_.back().data(), held_.back().size()};
        return true;
    }
    bool escaped(std::string& text) {
        static constexpr char marks[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
        if (at_ == end_) return false;
        if (*at_ != 'u') {
            const char* const found = *at_ ? std::strchr(marks, *at_) : nullptr;
            if (!found) return false;
            text.push_back(meant[found - marks]);
            ++at_;
            return true;
        }
        std::uint32_t code = 0, low = 0;
        ++at_;
        if (!four_digits(code)) return false;
        if (code >= 0xD800 && code <= 0xDBFF) {
            if (end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u') return false;
            at_ += 2;
            if (!four_digits(low) || low < 0xDC00 || low > 0xDFFF) return false;
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        } else if ((code >= 0xDC00 && code <= 0xDFFF) || !code) {
            return false;
        }
        put(text, code);
        return true;
    }
    bool four_digits(std::uint32_t& code) {
        if (end_ - at_ < 4) return false;
        for (int i = 0; i < 4; ++i, ++at_) {
            const char c = *at_, lower = char(c | 0x20);
            if (!is_digit(c) && !(lower >= 'a' && lower <= 'f')) return false;
            code = 16 * code + std::uint32_t(is_digit(c) ? c - '0' : lower - 'a' + 10);
        }
        return true;
    }
    static void put(std::string& text, std::uint32_t code) {
        if (code < 0x80) {
            text.push_back(char(code));
            return;
        }
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        static constexpr std::uint32_t first[] = {0, 0xC0, 0xE0, 0xF0};
        text.push_back(char(first[more] | (code >> (6 * more))));
        for (int i = more - 1; i >= 0; --i) text.push_back(char(0x80 | ((code >> (6 * i)) & 0x3F)));
    }
    // A number as JSON has it.
    bool number_token(Token& found, bool& is_whole) {
        const char* p = at_;
        const auto some_digits = [this, &p] {
            const char* const from = p;
            while (p < end_ && is_digit(*p)) ++p;
            return p > from;
        };
        if (p < end_ && *p == '-') ++p;
        const char* const first = p;
        if (!some_digits() || (*first == '0' && p > first + 1)) return false;
        is_whole = true;
        if (p < end_ && *p == '.') {
            is_whole = false;
            ++p;
            if (!some_digits()) return false;
        }
        if (p < end_ && (*p == 'e' || *p == 'E')) {
            is_whole = false;
            ++p;
            if (p < end_ && (*p == '-' || *p == '+')) ++p;
            if (!some_digits()) return false;
        }
        found = {at_, std::size_t(p - at_)};
        at_ = p;
        return found.size <= 300;
    }
    // A number of up to 15 digits without an exponent, which most are: one division rounds once, as in number().
    bool short_number(Value& value) {
        const char* p = at_;
        const bool negative = p < end_ && *p == '-';
        const char* const first = p += negative;
        std::uint64_t digits = 0;
        while (p < end_ && is_digit(*p)) digits = 10 * digits + std::uint64_t(*p++ - '0');
        const std::ptrdiff_t before = p - first;
        std::ptrdiff_t after = 0;
        if (before < 1 || before > 15 || (*first == '0' && before > 1)) return false;
        if (p < end_ && *p == '.') {
            const char* const point = p++;
            while (p < end_ && is_digit(*p) && p - point <= 15) digits = 10 * digits + std::uint64_t(*p++ - '0');
            after = p - point - 1;
            if (after < 1 || before + after > 15) return false;
        }
        if (p < end_ && (*p == 'e' || *p == 'E' || is_digit(*p))) return false;
        const double found = double(digits) / tens[after];
        const std::int64_t whole = negative ? -std::int64_t(digits) : std::int64_t(digits);
        value = {negative ? -found : found, {whole, std::size_t(after)}, whole || !negative};  // not minus zero
        at_ = p;
        return true;
    }
    bool number_value(Value& value) {
        if (short_number(value)) return true;
        Token word;
        bool is_whole = false;
        value.is_decimal = false;
        return number_token(word, is_whole) && number(word, value.number, slow) == Number::finite &&
               !is_large(value.number);
    }
    // A name, or a whole number in its place.
    bool name_value(Token& found) {
        if (*at_ == '"') return text_value(found) && found.size;
        bool is_whole = false;
        return number_token(found, is_whole) && is_whole && found.size <= 18 && !found.is("-0");
    }
    bool passes_word(const char* word) {
        const std::size_t size = std::strlen(word);
        if (std::size_t(end_ - at_) < size || std::memcmp(at_, word, size) != 0) return false;
        at_ += size;
        return true;
    }
    // A value that is not read. An object may say where by its names, which are kept then.
    bool other_value(bool& empty, bool keeps_names, int depth = 0) {
        Token found;
        bool is_whole = false;
        switch (*at_) {
        case '"':
            if (!text_value(found)) return false;
            empty = !found.size;
            if (!held_.empty() && found.at == held_.back().data()) held_.pop_back();
            return true;
        case 't':
            return passes_word("true");
        case 'f':
            return passes_word("false");
        case 'n':
            empty = true;
            return passes_word("null");
        case '{':
            return depth < deepest && other_object(keeps_names, depth);
        case '[':
            return depth < deepest && other_list(keeps_names, depth);
        default:
            return number_token(found, is_whole);
        }
    }
    bool other_object(bool keeps_names, int depth) {
        Token names[most_names];
        std::size_t count = 0;
        bool empty = false;
        ++at_;
        if (skip('}')) return true;
        do {
            if (!next() || *at_ != '"' || count == most_names) return false;
            Token& key = names[count];
            if (!plain_text(key)) return false;
            for (std::size_t i = 0; i < count; ++i)
                if (names[i].size == key.size && std::memcmp(names[i].at, key.at, key.size) == 0) return false;
            ++count;
            if (keeps_names && !keep(key)) return false;
            if (!skip(':') || !next() || !other_value(empty, false, depth + 1)) return false;
        } while (skip(','));
        return skip('}');
    }
    bool other_list(bool keeps_names, int depth) {
        bool empty = false;
        ++at_;
        if (skip(']')) return true;
        for (bool first = true;; first = false) {
            if (!next()) return false;
            const bool is_object = *at_ == '{';
            if (!other_value(empty, keeps_names && first && is_object, depth + 1)) return false;
            if (!skip(',')) return skip(']');
        }
    }
    bool keep(const Token& key) {
        for (const std::string& known : inner_names)
            if (known.size() == key.size && std::memcmp(known.data(), key.at, key.size) == 0) return true;
        if (inner_names.size() == most_inner) return false;
        inner_names.emplace_back(key.at, key.size);
        return true;
    }

    const char *at_ = nullptr, *end_ = nullptr;
};

}  // namespace berrypick
