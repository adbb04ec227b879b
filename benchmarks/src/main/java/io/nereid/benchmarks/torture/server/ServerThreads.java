package io.nereid.benchmarks.torture.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

  /** How much of a longer name the JVM leaves in front when it tells it to the system. */
  private static final int KEPT_CHARACTERS = 7;

  public ServerThreads {
    counts = Map.copyOf(counts);
  }

  public static ServerThreads of(long pid) {
    var counts = new TreeMap<String, Integer>();
    try (var tasks = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
      for (Path task : tasks) {
        String name = name(task);
        if (NAMES.stream().anyMatch(beginning -> name.startsWith(kept(beginning)))) {
          counts.merge(name, 1, Integer::sum);
        }
      }
    } catch (IOException _) {
      // the process is unknown, or has ended
    }
    return new ServerThreads(counts);
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
