package gate;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.*;

@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Gate {
    private final int[] numbers = new int[1000];
    private final String[] words = new String[64];
    private int rounds = 200;

    @Setup
    public void setup() {
        long x = 1;
        for (int i = 0; i < numbers.length; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
            numbers[i] = (int) (x >>> 33);
        }
        Arrays.setAll(words, i -> "word-" + i * 7919 % 50);
        String more = System.getenv("PER_MILLE");
        rounds += more == null ? 0 : 200 * Integer.parseInt(more) / 1000;
    }

    @Benchmark
    public int sort() {
        int[] sorted = numbers.clone();
        Arrays.sort(sorted);
        return sorted[500];
    }

    @Benchmark
    public int count() {
        int sum = 0;
        for (int round = 0; round < rounds; round++) {
            Map<String, Integer> counts = new HashMap<>();
            for (String word : words) {
                counts.merge(word, 1, Integer::sum);
            }
            sum += counts.size();
        }
        return sum;
    }
}
