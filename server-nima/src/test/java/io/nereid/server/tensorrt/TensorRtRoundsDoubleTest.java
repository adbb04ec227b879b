package io.nereid.server.tensorrt;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random requests to four instances of a TensorRT model, on the doubles of CUDA and TensorRT: in
 * the server's own schedulers, with cancellations, and with calls that fail. {@code
 * -Dnereid.inferences=200000} sets how many; {@code -Dnereid.seed=17} repeats one round.
 */
@Timeout(120)
class TensorRtRoundsDoubleTest {
  private static final int PER_ROUND = 1_000;
  private static final long ROUNDS =
      Math.max(1, Integer.getInteger("nereid.inferences", 4_000) / PER_ROUND);

  private static final RandomClient.Outcomes ALL = new RandomClient.Outcomes();
  private static final long START = System.nanoTime();

  private final Doubles doubles = Doubles.compiled();

  @BeforeAll
  static void logLess() {
    Round.LOG.setLevel(Level.OFF);
  }

  /** A round that has failed leaves objects, which are not those of the next. */
  @AfterEach
  void forgetObjects() {
    doubles.forgetObjects();
  }

  @AfterAll
  static void report() {
    Round.LOG.setLevel(null);
    System.out.printf(
        "%d requests in %d ms: %s%n",
        ALL.all(), TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - START), ALL);
  }

  static LongStream seeds() {
    Long seed = Long.getLong("nereid.seed");
    return seed == null ? LongStream.range(0, ROUNDS) : LongStream.of(seed);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void everyRequestIsAnsweredOnceAndRightOrFailsForAReasonAndNothingIsLeft(
      long seed, @TempDir Path directory) throws IOException {
    var round =
        new Round(
            doubles, directory.resolve("models"), directory.resolve("no-backends"), false, seed);
    ALL.add(round.run(PER_ROUND));
  }
}
