package io.nereid.server.support;

import io.nereid.server.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The server in a process of its own, started as an operator starts it. */
public final class ServerProcess implements AutoCloseable {
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(90);

  private final Process process;
  private final List<String> log = new ArrayList<>();
  private boolean ended;

  /**
   * Starts {@code serve} on free ports of the loopback interface, without a backend directory, and
   * without a warm-up unless an option says otherwise.
   */
  public static ServerProcess start(Path directory, Path repository, String... options)
      throws IOException {
    return start(directory, repository, List.of(), options);
  }

  /**
   * Starts the same.
   *
   * @param jvmOptions options of the JVM
   */
  public static ServerProcess start(
      Path directory, Path repository, List<String> jvmOptions, String... options)
      throws IOException {
    return launch(List.of(), directory, repository, serve(directory, jvmOptions), options);
  }

  /** Starts the same as a script does with {@code &}: the process ignores SIGINT. */
  public static ServerProcess startInBackground(Path directory, Path repository)
      throws IOException {
    return launch(
        List.of("bash", "-c", "trap '' INT; exec \"$@\"", "bash"),
        directory,
        repository,
        serve(directory, List.of()));
  }

  private static List<String> serve(Path directory, List<String> jvmOptions) {
    List<String> command = new ArrayList<>(jvmOptions);
    command.addAll(
        List.of(
            "--sun-misc-unsafe-memory-access=allow",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "serve",
            "--backend-directory=" + directory.resolve("no-backends")));
    return command;
  }

  /** Starts a jar on free ports of the loopback interface, with options and no command. */
  public static ServerProcess startJar(Path directory, Path repository, Path jar)
      throws IOException {
    return launch(List.of(), directory, repository, List.of("-jar", jar.toString()));
  }

  /**
   * @param starter a command that executes its arguments
   */
  private static ServerProcess launch(
      List<String> starter, Path directory, Path repository, List<String> java, String... options)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("-Xmx256m"));
    command.add(System.getProperty("nereid.test.compiler", "-XX:TieredStopAtLevel=4"));
    command.addAll(java);
    command.add("--model-repository=" + repository);
    for (String listener : List.of("http", "grpc", "metrics")) {
      command.add("--" + listener + "-address=127.0.0.1");
      command.add("--" + listener + "-port=0");
    }
    command.add("--server-warmup=0");
    command.addAll(List.of(options));
    // In a file, since some libraries recurse over the text of the process's command line.
    Path arguments = directory.resolve("arguments");
    Files.write(arguments, command.stream().map(ServerProcess::quoted).toList());
    Path executable = Path.of(System.getProperty("java.home"), "bin", "java");
    List<String> words = new ArrayList<>(starter);
    words.addAll(List.of(executable.toString(), "@" + arguments));
    return new ServerProcess(
        new ProcessBuilder(words).directory(directory.toFile()).redirectErrorStream(true).start());
  }

  private static String quoted(String argument) {
    return '"' + argument.replace("\\", "\\\\") + '"';
  }

  private ServerProcess(Process process) {
    this.process = process;
    Thread.ofVirtual().start(this::readLog);
  }

  private void readLog() {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        synchronized (log) {
          log.add(line);
          log.notifyAll();
        }
      }
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    } finally {
      synchronized (log) {
        ended = true;
        log.notifyAll();
      }
    }
  }

  /** Waits for a line of the log that contains a match of {@code pattern}. */
  public Matcher awaitLine(String pattern) throws InterruptedException {
    Pattern wanted = Pattern.compile(pattern);
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    synchronized (log) {
      for (int next = 0; ; ) {
        for (; next < log.size(); next++) {
          Matcher matcher = wanted.matcher(log.get(next));
          if (matcher.find()) {
            return matcher;
          }
        }
        long left = deadline - System.nanoTime();
        if (ended || left <= 0) {
          throw new AssertionError("no line '" + pattern + "' in:\n" + String.join("\n", log));
        }
        TimeUnit.NANOSECONDS.timedWait(log, left);
      }
    }
  }

  private int port(String service) throws InterruptedException {
    return Integer.parseInt(
        awaitLine("Started " + service + " at 127\\.0\\.0\\.1:(\\d+)").group(1));
  }

  public int httpPort() throws InterruptedException {
    return port("HTTPService");
  }

  public int grpcPort() throws InterruptedException {
    return port("GRPCInferenceService");
  }

  public int metricsPort() throws InterruptedException {
    return port("Metrics Service");
  }

  public long pid() {
    return process.pid();
  }

  /** Sends SIGTERM. */
  public void terminate() {
    process.toHandle().destroy(); // Process.destroy would also close the log
  }

  /** Sends SIGINT. */
  public void interrupt() throws IOException {
    signal("INT");
  }

  /** Sends a signal, by its name without {@code SIG}. */
  public void signal(String name) throws IOException {
    var _ = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start();
  }

  /** Waits for the end of the process and its log. */
  public int exitStatus() throws InterruptedException {
    if (!process.waitFor(TIMEOUT_NANOS, TimeUnit.NANOSECONDS)) {
      throw new AssertionError("still running:\n" + String.join("\n", log()));
    }
    synchronized (log) {
      while (!ended) {
        log.wait();
      }
    }
    return process.exitValue();
  }

  /** The lines so far. */
  public List<String> log() {
    synchronized (log) {
      return List.copyOf(log);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
