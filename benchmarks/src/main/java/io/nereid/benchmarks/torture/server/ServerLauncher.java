package io.nereid.benchmarks.torture.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Starts servers on free ports of the loopback interface.
 *
 * @param command what comes before the options, such as {@code ./nereid serve}
 * @param environment further variables of the process
 * @param models a model repository
 * @param logs a folder for the logs
 * @param maxFiles the number of files that a process may open; 0 for the limit of this process
 */
public record ServerLauncher(
    List<String> command, Map<String, String> environment, Path models, Path logs, int maxFiles) {
  public ServerLauncher {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }

  /** Starts servers with these options of the JVM in place of others. */
  public ServerLauncher withJavaOptions(String options) {
    return new ServerLauncher(command, Map.of("JAVA_OPTS", options), models, logs, maxFiles);
  }

  /**
   * Starts a server without waiting for it.
   *
   * @param name of its log
   * @param options further options; a later one wins over an earlier one
   */
  public ServerProcess start(String name, Needs needs, List<String> options) throws IOException {
    List<String> words = new ArrayList<>();
    int files = needs.maxFiles() > 0 ? needs.maxFiles() : maxFiles;
    if (files > 0) {
      words.addAll(List.of("bash", "-c", "ulimit -n " + files + " && exec \"$@\"", "bash"));
    }
    words.addAll(command);
    words.add("--model-repository=" + models);
    words.add("--model-control-mode=explicit");
    words.add("--load-model=*");
    for (String listener : List.of("http", "grpc", "metrics")) {
      words.add("--" + listener + "-address=127.0.0.1");
      String port = "--" + listener + "-port=";
      if (options.stream().noneMatch(option -> option.startsWith(port))) {
        words.add(port + 0);
      }
    }
    words.addAll(needs.options());
    words.addAll(options);
    Path log = logs.resolve(name + ".log");
    var builder = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    return new ServerProcess(builder.start(), log);
  }
}
