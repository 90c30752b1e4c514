#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

static void sort(benchmark::State &state) {
    std::vector<uint32_t> numbers(1000);
    uint64_t x = 1;
    for (auto &number : numbers) {
        x = x * 6364136223846793005 + 1442695040888963407;
        number = x >> 33;
    }
    for (auto _ : state) {
        auto sorted = numbers;
        std::sort(sorted.begin(), sorted.end());
        benchmark::DoNotOptimize(sorted[500]);
    }
}

static void count(benchmark::State &state) {
    std::vector<std::string> words;
    for (int i = 0; i < 64; i++)
        words.push_back("word-" + std::to_string(i * 7919 % 50));
    const char *more = getenv("PER_MILLE");
    long rounds = 200 + 200 * (more ? atol(more) : 0) / 1000;
    for (auto _ : state)
        for (long round = 0; round < rounds; round++) {
            std::unordered_map<std::string, int> counts;
            for (auto &word : words)
                counts[word]++;
            benchmark::DoNotOptimize(counts.size());
        }
}

BENCHMARK(sort);
BENCHMARK(count);
BENCHMARK_MAIN();
