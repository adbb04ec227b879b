package io.nereid.benchmarks.micro;

import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does a cached response cost, compared with an execution, and how many responses does a cache
 * find that is smaller than what is requested? Requests of {@code simple}, and of {@code
 * identity_fp32} with 588 KiB, the size of an image; one is in flight, without sockets.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class CacheBenchmark {
  /** The size of an entry of {@code simple}. */
  private static final long ENTRY_BYTES = 640;

  private static final long LARGE_CACHE = 64L << 20;

  /** An engine with a cache that holds all responses. */
  @State(Scope.Benchmark)
  public static class Caching {
    private final CachedModels models = Unchecked.call(() -> new CachedModels(LARGE_CACHE));

    @TearDown
    public void close() throws IOException {
      models.close();
    }
  }

  /** An engine without a cache. */
  @State(Scope.Benchmark)
  public static class Executing {
    private final CachedModels models = Unchecked.call(() -> new CachedModels(0));

    @TearDown
    public void close() throws IOException {
      models.close();
    }
  }

  /**
   * A cache with room for a share of 10,000 different requests, of which the k-th is requested in
   * proportion to 1/k.
   */
  @State(Scope.Benchmark)
  public static class Popularity {
    private static final int REQUESTS = 10_000;

    /** For how many percent of the requests there is room. */
    @Param({"1", "10", "50"})
    int percent;

    private final double[] cumulative = new double[REQUESTS];
    private final SplittableRandom random = new SplittableRandom(1);
    private @Nullable CachedModels loaded;

    @Setup
    public void load() throws IOException {
      double sum = 0;
      for (int k = 0; k < REQUESTS; k++) {
        sum += 1.0 / (k + 1);
        cumulative[k] = sum;
      }
      loaded = new CachedModels(ENTRY_BYTES * REQUESTS * percent / 100);
    }

    /** The number of a random request. */
    int next() {
      double point = random.nextDouble(cumulative[REQUESTS - 1]);
      int found = Arrays.binarySearch(cumulative, point);
      return Math.min(found < 0 ? -found - 1 : found, REQUESTS - 1);
    }

    private CachedModels models() {
      return Objects.requireNonNull(loaded, "not loaded");
    }

    @TearDown
    public void close() throws IOException {
      models().close();
    }
  }

  /** Hits and misses of an iteration. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class LookUps {
    /** Look-ups that found a response. */
    public long hits;

    /** Look-ups that found none. */
    public long misses;

    private long hitsBefore;
    private long missesBefore;

    /** Notes the counts so far. */
    @Setup(Level.Iteration)
    public void begin(Popularity popularity) {
      hitsBefore = popularity.models().statistics().cacheHit().count();
      missesBefore = popularity.models().statistics().cacheMiss().count();
    }

    /** Sets the counts of the iteration. */
    @TearDown(Level.Iteration)
    public void end(Popularity popularity) {
      hits = popularity.models().statistics().cacheHit().count() - hitsBefore;
      misses = popularity.models().statistics().cacheMiss().count() - missesBefore;
    }
  }

  /** The same request again and again. */
  @Benchmark
  public long simpleHit(Caching server) {
    return server.models.simple(1);
  }

  /** The same, executed. */
  @Benchmark
  public long simpleBaseline(Executing server) {
    return server.models.simple(1);
  }

  /** The same request of 588 KiB again and again. */
  @Benchmark
  public long imageHit(Caching server) {
    return server.models.image();
  }

  /** The same, executed. */
  @Benchmark
  public long imageBaseline(Executing server) {
    return server.models.image();
  }

  /**
   * Requests of different popularity.
   *
   * @param lookUps reported by JMH
   */
  @Benchmark
  public long popular(Popularity server, LookUps lookUps) {
    return server.models().simple(server.next());
  }
}
