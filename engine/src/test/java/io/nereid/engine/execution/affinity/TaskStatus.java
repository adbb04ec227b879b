package io.nereid.engine.execution.affinity;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What Linux says of a thread, in {@code status} of proc(5).
 *
 * @param directory such as {@code /proc/thread-self}
 */
public record TaskStatus(Path directory) {
  /** As much of a thread's name as Linux keeps. */
  private static final int NAME_LENGTH = 15;

  /** The calling thread. */
  public static TaskStatus current() {
    return new TaskStatus(Path.of("/proc/thread-self"));
  }

  /** The threads of this process whose names begin so. */
  public static List<TaskStatus> named(String prefix) throws IOException {
    String kept = prefix.substring(0, Math.min(prefix.length(), NAME_LENGTH));
    try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
      return tasks.map(TaskStatus::new).filter(task -> task.name().startsWith(kept)).toList();
    }
  }

  private String name() {
    return field("Name");
  }

  /** The processors on which it may run, such as {@code 0-3,8}. */
  public String cores() {
    return field("Cpus_allowed_list");
  }

  /** The last processor on which it may run. */
  public int lastCore() {
    String[] numbers = cores().split("[-,]", -1);
    return Integer.parseInt(numbers[numbers.length - 1]);
  }

  private String field(String name) {
    try {
      return Files.readAllLines(directory.resolve("status")).stream()
          .filter(line -> line.startsWith(name + ":"))
          .map(line -> line.substring(name.length() + 1).strip())
          .findFirst()
          .orElse("");
    } catch (IOException ended) {
      return ""; // the thread is gone
    }
  }
}
