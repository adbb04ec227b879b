package io.nereid.benchmarks.torture.server;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The threads of a server that must live as long as it does, counted by their names
 * (proc_pid_task(5)). Empty if the process is unknown or is no server of ours.
 */
public record ServerThreads(Map<String, Integer> counts) {
  /** The beginnings of the names in "Threads" of docs/architecture.md, of those that never end. */
  private static final List<String> NAMES =
      List.of(
          "access log",
          "certificate watch",
          "clock",
          "connection monitor",
          "gpu metrics",
          "grpc accept",
          "grpc event loop",
          "instance",
          "repository poll",
          "scheduler journal",
          "trace writer",
          "trim");

  private static final String WARM_UP = "server warm-up";
  private static final Duration WARM_UP_LIMIT = Duration.ofSeconds(30);
  private static final int POLL_MILLIS = 100;
  private static final int STABLE_MILLIS = 1_000;

  /** How much of a longer name the JVM leaves in front when it tells it to the system. */
  private static final int KEPT_CHARACTERS = 7;

  public ServerThreads {
    counts = Map.copyOf(counts);
  }

  public static ServerThreads of(long pid) {
    var counts = new TreeMap<String, Integer>();
    for (String name : names(pid)) {
      if (NAMES.stream().anyMatch(beginning -> name.startsWith(kept(beginning)))) {
        counts.merge(name, 1, Integer::sum);
      }
    }
    return new ServerThreads(counts);
  }

  /** As {@link #of}, once the small server has ended with which a server warms up. */
  public static ServerThreads afterWarmUp(long pid) throws InterruptedException {
    long deadline = System.nanoTime() + WARM_UP_LIMIT.toNanos();
    while (names(pid).contains(WARM_UP) && System.nanoTime() - deadline < 0) {
      Thread.sleep(POLL_MILLIS);
    }
    ServerThreads before;
    ServerThreads now = of(pid);
    do {
      before = now;
      Thread.sleep(STABLE_MILLIS);
      now = of(pid);
    } while (!now.equals(before) && System.nanoTime() - deadline < 0);
    return now;
  }

  private static List<String> names(long pid) {
    List<String> names = new ArrayList<>();
    try (var tasks = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
      tasks.forEach(task -> names.add(name(task)));
    } catch (IOException | DirectoryIteratorException _) {
      // the process is unknown, or has ended
    }
    return names;
  }

  private static String name(Path task) {
    try {
      return Files.readString(task.resolve("comm")).strip();
    } catch (IOException _) {
      return ""; // it has just ended
    }
  }

  private static String kept(String name) {
    return name.substring(0, Math.min(name.length(), KEPT_CHARACTERS));
  }

  /** A sentence for each kind of thread of which {@code later} has fewer. */
  public List<String> missingFrom(ServerThreads later) {
    List<String> missing = new ArrayList<>();
    new TreeMap<>(counts)
        .forEach((name, before) -> {
          int now = later.counts.getOrDefault(name, 0);
          if (now < before) {
            missing.add("threads '%s': %d before, %d afterwards".formatted(name, before, now));
          }
        });
    return List.copyOf(missing);
  }
}
