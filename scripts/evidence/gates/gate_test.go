package gate

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"testing"
)

var sink int

func BenchmarkSort(b *testing.B) {
	numbers := make([]int, 1000)
	x := uint64(1)
	for i := range numbers {
		x = x*6364136223846793005 + 1442695040888963407
		numbers[i] = int(x >> 33)
	}
	for i := 0; i < b.N; i++ {
		sorted := append([]int(nil), numbers...)
		sort.Ints(sorted)
		sink += sorted[500]
	}
}

func BenchmarkCount(b *testing.B) {
	words := make([]string, 64)
	for i := range words {
		words[i] = fmt.Sprintf("word-%d", i*7919%50)
	}
	more, _ := strconv.Atoi(os.Getenv("PER_MILLE"))
	for i := 0; i < b.N; i++ {
		for round := 0; round < 200+200*more/1000; round++ {
			counts := make(map[string]int)
			for _, word := range words {
				counts[word]++
			}
			sink += len(counts)
		}
	}
}
