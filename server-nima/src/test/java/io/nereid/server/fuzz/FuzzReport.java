package io.nereid.server.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What Jazzer reports of a run.
 *
 * @param executions how often the target was called
 * @param coverage the edges of control flow that were taken
 * @param features the edges with how often each was taken, in powers of two
 * @param corpus the inputs that are kept because of them
 * @param findings sentences with the files of inputs that failed, or of the log
 */
record FuzzReport(
    String target,
    String executions,
    String coverage,
    String features,
    String corpus,
    List<String> findings) {
  private static final String ROW = "%-58s %12s %8s %8s %7s  %s";

  static final String HEADER =
      ROW.formatted("target", "executions", "coverage", "features", "corpus", "findings");

  private static final Pattern PROGRESS =
      Pattern.compile("^#(\\d+)\\s.*cov: (\\d+) ft: (\\d+) corp: (\\d+)/");
  private static final Pattern DONE = Pattern.compile("^Done (\\d+) runs in (\\d+) second");

  /** The names that libFuzzer gives to inputs that fail, take too long, or too much memory. */
  private static final Pattern FAILED = Pattern.compile("(crash|timeout|oom)-.*");

  static FuzzReport of(String target, int status, Path log, Path folder) throws IOException {
    var report = new FuzzReport(target, "0", "0", "0", "0", new ArrayList<>());
    for (String line : Files.readAllLines(log, StandardCharsets.ISO_8859_1)) {
      report = report.after(line);
    }
    for (Path input : failedInputs(folder)) {
      report.findings.add("%s fails on %s; see %s".formatted(target, input, log));
    }
    if (status != 0 && report.findings.isEmpty()) {
      report.findings.add("%s ended with status %d; see %s".formatted(target, status, log));
    }
    return report;
  }

  /** The inputs that a run in that folder has found to fail. */
  static List<Path> failedInputs(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> FAILED.matcher(file.getFileName().toString()).matches()).toList();
    }
  }

  private FuzzReport after(String line) {
    Matcher progress = PROGRESS.matcher(line);
    if (progress.find()) {
      return new FuzzReport(
          target,
          progress.group(1),
          progress.group(2),
          progress.group(3),
          progress.group(4),
          findings);
    }
    Matcher done = DONE.matcher(line);
    return done.find()
        ? new FuzzReport(target, done.group(1), coverage, features, corpus, findings)
        : this;
  }

  String row() {
    return ROW.formatted(
        target, executions, coverage, features, corpus, findings.isEmpty() ? "none" : findings);
  }
}
