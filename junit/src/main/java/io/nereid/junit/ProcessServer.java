package io.nereid.junit;

import static io.nereid.junit.ServerAddresses.LOOPBACK;

import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A server that is a process: {@code bin/nereid} of a distribution. It ends with this JVM. */
final class ProcessServer implements RunningServer {
  private static final Duration MAX_START = Duration.ofMinutes(2);

  /** More than the exit timeout of a server, by default. */
  private static final Duration MAX_STOP = Duration.ofSeconds(40);

  private static final Pattern STARTED =
      Pattern.compile("Started (HTTPService|GRPCInferenceService|Metrics Service) at \\S+:(\\d+)");

  /** The front ends as the log calls them, by the option that leaves each out. */
  private static final Map<String, String> FRONT_ENDS =
      Map.of(
          "allow-http=false", "HTTPService",
          "allow-grpc=false", "GRPCInferenceService",
          "allow-metrics=false", "Metrics Service");

  /** The last line of a server that does not start begins so. */
  private static final String REASON = "nereid: ";

  private final ServerLog log = new ServerLog();
  private final Map<String, Integer> ports = new HashMap<>(); // of the reader until it is started
  private final CompletableFuture<ServerAddresses> started = new CompletableFuture<>();
  private final Process process;
  private final Thread reader;
  private final Thread hook;

  private ProcessServer(Process process, Set<String> frontEnds) {
    this.process = process;
    hook = new Thread(process::destroy);
    Runtime.getRuntime().addShutdownHook(hook);
    reader = new Thread(() -> read(frontEnds), "server log");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * @throws IOException if the server does not start
   */
  static ProcessServer start(ServerConfiguration configuration) throws IOException {
    var front =
        FRONT_ENDS.entrySet().stream()
            .filter(each -> !configuration.options().contains(each.getKey()))
            .map(Map.Entry::getValue)
            .collect(Collectors.toSet());
    var process = new ProcessBuilder(command(configuration)).redirectErrorStream(true).start();
    var server = new ProcessServer(process, front);
    try {
      server.started.get(MAX_START.toMillis(), TimeUnit.MILLISECONDS);
      if (!configuration.options().contains("exit-on-error=false")) {
        server.awaitReady();
      }
      return server;
    } catch (ExecutionException
        | TimeoutException
        | InterruptedException
        | NereidException failed) {
      process.destroyForcibly();
      server.close();
      if (failed instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      server.log.show("The log of the server of " + configuration, System.err);
      throw new IOException(reason(failed), failed);
    }
  }

  private static String reason(Exception failed) {
    if (failed instanceof ExecutionException ended && ended.getCause() != null) {
      return String.valueOf(ended.getCause().getMessage());
    }
    return failed instanceof TimeoutException
        ? "it was not ready within " + MAX_START
        : failed.toString();
  }

  private static List<String> command(ServerConfiguration configuration) {
    List<String> command = new ArrayList<>();
    command.add(configuration.distribution().orElseThrow().resolve("bin/nereid").toString());
    command.add("serve");
    configuration.repositories().forEach(path -> command.add("--model-repository=" + path));
    for (String protocol : List.of("http", "grpc", "metrics")) {
      command.add("--%s-address=%s".formatted(protocol, LOOPBACK));
      command.add("--%s-port=0".formatted(protocol));
    }
    command.add("--server-warmup=0"); // a test has few requests
    configuration.options().forEach(option -> command.add("--" + option));
    return command;
  }

  private void read(Set<String> frontEnds) {
    String reason = "";
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        log.add(line);
        if (line.startsWith(REASON)) {
          reason = ": " + line.substring(REASON.length());
        }
        Matcher front = STARTED.matcher(line);
        if (front.find()) {
          ports.put(front.group(1), Integer.parseInt(front.group(2)));
          if (ports.keySet().containsAll(frontEnds)) {
            started.complete(
                new ServerAddresses(
                    port("HTTPService"), port("GRPCInferenceService"), port("Metrics Service")));
          }
        }
      }
      started.completeExceptionally(
          new IOException(
              "its process has ended with status %d%s".formatted(process.waitFor(), reason)));
    } catch (IOException unreadable) {
      started.completeExceptionally(unreadable);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private OptionalInt port(String frontEnd) {
    Integer port = ports.get(frontEnd);
    return port == null ? OptionalInt.empty() : OptionalInt.of(port);
  }

  /** A server accepts requests a moment after it says where it listens. */
  private void awaitReady() throws InterruptedException, TimeoutException {
    ServerAddresses addresses = addresses();
    if (addresses.httpPort().isEmpty() && addresses.grpcPort().isEmpty()) {
      return;
    }
    long end = System.nanoTime() + MAX_START.toNanos();
    try (NereidClient client =
        NereidClient.connect(
            addresses.httpPort().isPresent() ? addresses.http() : addresses.grpc())) {
      while (!client.server().isReady()) {
        if (System.nanoTime() - end > 0) {
          throw new TimeoutException();
        }
        Thread.sleep(10);
      }
    }
  }

  @Override
  public ServerAddresses addresses() {
    return started.join();
  }

  ServerLog log() {
    return log;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(MAX_STOP.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      reader.join();
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException ending) {
      return; // the JVM ends, and runs it
    }
  }
}
