package io.nereid.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.Engine;
import io.nereid.engine.EngineParts;
import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.engine.testing.LogCapture;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Engines are opened and closed, two at a time and {@code -Dnereid.rounds} times, with 100 requests
 * each. Nothing of them stays: no thread, no file, no lease, no memory.
 */
class EngineRoundsTest {
  private static final int ROUNDS = Integer.getInteger("nereid.rounds", 20);
  private static final int WARM_UP = 5;
  private static final int REQUESTS = 100;
  private static final Path MODELS = Path.of("../examples/models");
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");

  private static final Pattern OF_ENGINES =
      Pattern.compile("(clock|trim|instance|model|repository|long work|scheduler).*");

  /** What the JVM and ONNX Runtime take once, and what a heap grows by until it is collected. */
  private static final long MAX_GROWTH_KIB = 128 << 10;

  @Test
  @Timeout(600)
  void nothingStaysOfAnEngine() throws IOException, InterruptedException {
    for (int i = 0; i < WARM_UP; i++) {
      round();
    }
    long files = openFiles();
    Map<String, Integer> threads = threads();
    long resident = residentKiB();
    try (var log = new LogCapture(EngineParts.class.getName())) {
      for (int i = 0; i < ROUNDS; i++) {
        round();
      }
      assertThat(log.messages())
          .as("leases that were never released")
          .noneMatch(text -> text.contains("leases"));
    }

    assertThat(openFiles()).as("open files").isLessThanOrEqualTo(files);
    while (hasMore(threads(), threads)) { // no close waits for the thread of a clock, which ends
      Thread.sleep(10);
    }
    System.gc();
    System.out.printf(
        "%d engines: resident %d MiB before, %d MiB after%n",
        2 * ROUNDS, resident >> 10, residentKiB() >> 10);
    assertThat(residentKiB() - resident).as("growth in KiB").isLessThan(MAX_GROWTH_KIB);
  }

  /** Two engines at the same time serve the same model. */
  private static void round() throws IOException {
    try (Engine one = open();
        Engine other = open()) {
      for (int i = 0; i < REQUESTS; i++) {
        infer(one, i);
        infer(other, i + 1);
      }
    }
  }

  private static Engine open() throws IOException {
    return Engine.builder().repository(MODELS).startWith("simple").open();
  }

  private static void infer(Engine engine, int value) {
    ModelRequest request =
        ModelRequest.to("simple")
            .input("INPUT0", Shape.of(1, 16), numbers(value))
            .input("INPUT1", Shape.of(1, 16), numbers(1))
            .build();
    try (ModelResponse response = engine.infer(request)) {
      assertThat(response.ints("OUTPUT0")).containsOnly(value + 1);
    }
  }

  private static int[] numbers(int value) {
    var numbers = new int[16];
    Arrays.fill(numbers, value);
    return numbers;
  }

  private static long openFiles() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    }
  }

  /** The threads of engines by name; those of loads end before an engine is closed. */
  private static Map<String, Integer> threads() {
    Map<String, Integer> threads = new TreeMap<>();
    Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> OF_ENGINES.matcher(name).matches())
        .forEach(name -> threads.merge(name, 1, Integer::sum));
    return threads;
  }

  private static boolean hasMore(Map<String, Integer> threads, Map<String, Integer> before) {
    return threads.entrySet().stream()
        .anyMatch(entry -> entry.getValue() > before.getOrDefault(entry.getKey(), 0));
  }

  private static long residentKiB() throws IOException {
    Matcher matcher = RESIDENT.matcher(Files.readString(Path.of("/proc/self/status")));
    assertThat(matcher.find()).isTrue();
    return Long.parseLong(matcher.group(1));
  }
}
