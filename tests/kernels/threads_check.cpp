// Reads a run in parts, by several threads, and prints a fingerprint of what was found. Built with -fsanitize=thread.
//
//     threads_check FORMAT FILE PART THREADS
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "parts.hpp"
#include "records.hpp"

using namespace berrypick;

namespace {

std::uint64_t print = 14695981039346656037ull;

void add(const void* data, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) print = (print ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211ull;
}

template <class T>
void add(const Column<T>& column) {
    add(column.data(), column.size() * sizeof(T));
}

template <class Values>
void add_each(const Values& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = values[i];
        add(&value, sizeof value);
    }
}

void add(const Vocabulary& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        add(names.name(i).at, names.name(i).size);
        add(" ", 1);
    }
}

void add_rest(const TrecRunLines& found) {
    for (std::size_t i = 0; i < found.names.size(); ++i) {
        const Token name = found.names.name(found.names.places()[i]);
        add(name.at, name.size);
    }
    add(&found.longer, sizeof found.longer);
}

void add_rest(const FolRunLines& found) {
    add_each(found.start);
    add_each(found.end);
    add(found.path);
    add(found.paths);
    const std::int64_t counts[] = {found.unlocated, found.falls, found.unscored};
    add(counts, sizeof counts);
}

Number no_number(const Token&, double&) { return Number::none; }

template <class Format>
int show(const char* path, std::size_t part, std::size_t threads) {
    const int file = open(path, O_RDONLY);
    struct stat facts;
    if (file < 0 || fstat(file, &facts)) return 1;
    Format found(no_number);
    if (!Parts<Format>(file, 0, facts.st_size, part, std::size_t(1) << 26, found).read(threads, [] { return true; })) {
        std::puts("for the plain reader");
    } else {
        add(found.topics);
        add(found.topic);
        add(found.begins);
        add(found.documents);
        add(found.document);
        add_each(found.line);
        add_each(found.score);
        add(found.tag.data(), found.tag.size());
        add_rest(found);
        std::printf("%zu rows, %llx\n", found.line.size(), static_cast<unsigned long long>(print));
    }
    return close(file);
}

}  // namespace

int main(int count, char** words) {
    if (count != 5) return 2;
    const auto part = std::size_t(std::atoll(words[3])), threads = std::size_t(std::atoll(words[4]));
    return std::string(words[1]) == "trec-run" ? show<TrecRunLines>(words[2], part, threads)
                                               : show<FolRunLines>(words[2], part, threads);
}
