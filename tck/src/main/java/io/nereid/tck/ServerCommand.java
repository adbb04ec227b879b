package io.nereid.tck;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.BindException;
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
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A server that is a command with Triton's options, such as {@code tritonserver}, or with
 * placeholders.
 *
 * <p>The options that the tests need are appended to the command: the model repositories, the
 * ports, and the control mode. What else the server needs is in the command: where the backends of
 * {@link TckModels} are, and for the rules of shared memory that clients may use it.
 *
 * <p>A command with one of the placeholders <code>{models}</code> (the folder of the models),
 * <code>{http}</code>, <code>{grpc}</code> and <code>{metrics}</code> (free ports) gets no other
 * options. It then has no control modes, and gRPC and metrics only if it names their ports.
 *
 * @param words the command, such as {@code [tritonserver, --backend-directory=backends]}
 * @param log the file that what the server prints is appended to; its folder exists
 */
public record ServerCommand(List<String> words, Path log) implements ServerFactory {
  private static final String LOOPBACK = "127.0.0.1";
  private static final String MODELS = "{models}";
  private static final String HTTP = "{http}";
  private static final String GRPC = "{grpc}";
  private static final String METRICS = "{metrics}";
  private static final Duration MAX_START = Duration.ofMinutes(2);
  private static final Duration MAX_LOAD = Duration.ofSeconds(10);
  private static final Duration MAX_STOP = Duration.ofSeconds(10);
  private static final int FIRST_PORT = 20_000;
  private static final int TRIPLES = 4_000;
  private static final int MAX_TRIES = 1_000;

  public ServerCommand {
    words = List.copyOf(words);
  }

  /** The command of a line, whose words are separated by blanks. */
  public static ServerCommand of(String line, Path log) {
    return new ServerCommand(List.of(line.strip().split(" +")), log);
  }

  /**
   * The command in the system property {@code tck.server}, which prints to {@code
   * target/tck-server.log}.
   */
  public static Optional<ServerCommand> ofProperty() {
    return Optional.ofNullable(System.getProperty("tck.server"))
        .filter(command -> !command.isBlank())
        .map(command -> of(command, Path.of("target", "tck-server.log")));
  }

  @Override
  public ServerUnderTest startServer(Path modelRepository) throws IOException {
    return start(List.of(modelRepository), List.of());
  }

  @Override
  public Optional<ServerUnderTest> startServer(
      ModelControlMode mode, List<Path> modelRepositories, List<String> startupModels)
      throws IOException {
    if (hasPlaceholders()) {
      return Optional.empty();
    }
    List<String> options = new ArrayList<>();
    options.add("--model-control-mode=" + mode.name().toLowerCase(Locale.ROOT));
    options.add("--repository-poll-secs=1");
    startupModels.forEach(model -> options.add("--load-model=" + model));
    return Optional.of(start(modelRepositories, options));
  }

  private boolean hasPlaceholders() {
    return Stream.of(MODELS, HTTP, GRPC, METRICS).anyMatch(this::names);
  }

  private boolean names(String placeholder) {
    return words.stream().anyMatch(word -> word.contains(placeholder));
  }

  private ServerUnderTest start(List<Path> modelRepositories, List<String> options)
      throws IOException {
    boolean hasOptions = !hasPlaceholders();
    int http = freePorts();
    int grpc = hasOptions || names(GRPC) ? http + 1 : 0;
    int metrics = hasOptions || names(METRICS) ? http + 2 : 0;
    List<String> command = new ArrayList<>();
    for (String word : words) {
      command.add(
          word.replace(MODELS, modelRepositories.getFirst().toString())
              .replace(HTTP, Integer.toString(http))
              .replace(GRPC, Integer.toString(grpc))
              .replace(METRICS, Integer.toString(metrics)));
    }
    if (hasOptions) {
      modelRepositories.forEach(repository -> command.add("--model-repository=" + repository));
      command.add("--http-port=" + http);
      command.add("--grpc-port=" + grpc);
      command.add("--metrics-port=" + metrics);
      command.add("--exit-timeout-secs=1");
      command.addAll(options);
    }
    var process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(Redirect.appendTo(log.toFile()))
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroy)); // if tests are ended
    var address = URI.create("http://" + LOOPBACK + ":" + http);
    awaitAnswer(address, process);
    return new ServerUnderTest(
        address,
        LOOPBACK,
        grpc,
        metrics == 0
            ? Optional.empty()
            : Optional.of(URI.create("http://" + LOOPBACK + ":" + metrics)),
        () -> stop(process));
  }

  /** Waits until the server answers and is ready. */
  private void awaitAnswer(URI address, Process process) throws IOException {
    var request = HttpRequest.newBuilder(address.resolve("/v2")).build();
    long start = System.nanoTime();
    try (var client = HttpClient.newHttpClient()) {
      while (true) {
        try {
          client.send(request, BodyHandlers.discarding());
          awaitReady(client, address);
          return;
        } catch (IOException notYet) {
          if (process.waitFor(100, TimeUnit.MILLISECONDS)) {
            throw new IOException(
                "the server has ended with status %d: see %s".formatted(process.exitValue(), log),
                notYet);
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

  /**
   * Waits until the server has loaded its models, but not for long: one with a model that fails may
   * never be ready.
   */
  private static void awaitReady(HttpClient client, URI address)
      throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(address.resolve("/v2/health/ready")).build();
    long start = System.nanoTime();
    int status = client.send(request, BodyHandlers.discarding()).statusCode();
    while (status != 200 && status != 404 && System.nanoTime() - start < MAX_LOAD.toNanos()) {
      Thread.sleep(50);
      status = client.send(request, BodyHandlers.discarding()).statusCode();
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

  /** The first of three free ports, below those that systems give to who asks for any. */
  private static int freePorts() throws IOException {
    var random = new Random();
    for (int i = 0; i < MAX_TRIES; i++) {
      int first = FIRST_PORT + 3 * random.nextInt(TRIPLES);
      try (var _ = new ServerSocket(first);
          var _ = new ServerSocket(first + 1);
          var _ = new ServerSocket(first + 2)) {
        return first;
      } catch (BindException _) { // another program has one of them
      }
    }
    throw new IOException("found no three free ports from %d on".formatted(FIRST_PORT));
  }
}
