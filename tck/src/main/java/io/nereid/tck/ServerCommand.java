package io.nereid.tck;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A server that is a command with Triton's options, such as {@code tritonserver}.
 *
 * <p>The options that the tests need are appended to the command: the model repositories, the
 * ports, and the control mode. What else the server needs is in the command: where the backends of
 * {@link TckModels} are, and for the rules of shared memory that clients may use it. What the
 * server prints is in {@code target/tck-server.log}.
 *
 * @param words the command, such as {@code [tritonserver, --backend-directory=backends]}
 */
public record ServerCommand(List<String> words) implements ServerFactory {
  private static final String LOOPBACK = "127.0.0.1";
  private static final File LOG = new File("target", "tck-server.log");
  private static final Duration MAX_START = Duration.ofMinutes(2);
  private static final Duration MAX_STOP = Duration.ofSeconds(10);

  public ServerCommand {
    words = List.copyOf(words);
  }

  /** The command in the system property {@code tck.server}, whose words are separated by blanks. */
  public static Optional<ServerCommand> ofProperty() {
    return Optional.ofNullable(System.getProperty("tck.server"))
        .filter(command -> !command.isBlank())
        .map(command -> new ServerCommand(List.of(command.strip().split(" +"))));
  }

  @Override
  public ServerUnderTest startServer(Path modelRepository) throws IOException {
    return start(List.of(modelRepository), List.of());
  }

  @Override
  public Optional<ServerUnderTest> startServer(
      ModelControlMode mode, List<Path> modelRepositories, List<String> startupModels)
      throws IOException {
    List<String> options = new ArrayList<>();
    options.add("--model-control-mode=" + mode.name().toLowerCase(Locale.ROOT));
    options.add("--repository-poll-secs=1");
    startupModels.forEach(model -> options.add("--load-model=" + model));
    return Optional.of(start(modelRepositories, options));
  }

  private ServerUnderTest start(List<Path> modelRepositories, List<String> options)
      throws IOException {
    int http = freePort();
    int grpc = freePort();
    int metrics = freePort();
    List<String> command = new ArrayList<>(words);
    modelRepositories.forEach(repository -> command.add("--model-repository=" + repository));
    command.add("--http-port=" + http);
    command.add("--grpc-port=" + grpc);
    command.add("--metrics-port=" + metrics);
    command.add("--exit-timeout-secs=1");
    command.addAll(options);
    var process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(Redirect.appendTo(LOG))
            .start();
    var address = URI.create("http://" + LOOPBACK + ":" + http);
    awaitAnswer(address, process);
    return new ServerUnderTest(
        address,
        LOOPBACK,
        grpc,
        Optional.of(URI.create("http://" + LOOPBACK + ":" + metrics)),
        () -> stop(process));
  }

  /** Waits until the server answers, which Triton does once it has loaded its models. */
  private static void awaitAnswer(URI address, Process process) throws IOException {
    var request = HttpRequest.newBuilder(address.resolve("/v2")).build();
    long start = System.nanoTime();
    try (var client = HttpClient.newHttpClient()) {
      while (true) {
        try {
          client.send(request, BodyHandlers.discarding());
          return;
        } catch (IOException notYet) {
          if (process.waitFor(100, TimeUnit.MILLISECONDS)) {
            throw new IOException("the server has ended: " + process.exitValue(), notYet);
          }
          if (System.nanoTime() - start > MAX_START.toNanos()) {
            process.destroyForcibly();
            throw notYet;
          }
        }
      }
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the server started", interrupted);
    }
  }

  private static void stop(Process process) {
    process.destroy();
    try {
      if (!process.waitFor(MAX_STOP)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
