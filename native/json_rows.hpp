// Rows of numbers as JSON, for data that are written in large amounts.
#pragma once

#include <charconv>
#include <cstddef>
#include <string>
#include <vector>

#include "lines.hpp"
#include "polynomial.hpp"

namespace berrypick {

// Whole numbers, or texts that are JSON already; the one that is not there is empty.
struct JsonColumn {
    const Index* numbers;
    std::vector<Token> texts;
};

// [[..],[..]] of the rows from .. to.
inline std::string json_rows(const std::vector<JsonColumn>& columns, std::size_t from, std::size_t to) {
    std::string out = "[";
    out.reserve((to - from) * columns.size() * 6 + 2);
    char digits[24];
    for (std::size_t row = from; row < to; ++row) {
        out += row == from ? "[" : ",[";
        bool first = true;
        for (const JsonColumn& column : columns) {
            if (!first) out += ',';
            first = false;
            if (column.numbers) {
                const auto end = std::to_chars(digits, digits + sizeof digits, column.numbers[row]).ptr;
                out.append(digits, std::size_t(end - digits));
            } else {
                out.append(column.texts[row].at, column.texts[row].size);
            }
        }
        out += ']';
    }
    out += ']';
    return out;
}

}  // namespace berrypick
