package io.nereid.benchmarks.torture.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server that was started here. {@link #close} kills it. */
public final class ServerProcess implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(90);
  private static final int POLL_MILLIS = 50;

  private final Process process;
  private final Path log;

  ServerProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * Waits until it listens.
   *
   * @throws IOException if it ends or does not listen in time
   */
  public Target awaitTarget() throws IOException, InterruptedException {
    var http = awaitAddress("HTTPService");
    var grpc = awaitAddress("GRPCInferenceService");
    return new Target(http, grpc, Optional.of(awaitAddress("Metrics Service")), process.pid());
  }

  private InetSocketAddress awaitAddress(String service) throws IOException, InterruptedException {
    var pattern = Pattern.compile("Started " + service + " at [0-9.]+:(\\d+)");
    long deadline = System.nanoTime() + START.toNanos();
    while (true) {
      Matcher started = pattern.matcher(text());
      if (started.find()) {
        return new InetSocketAddress(
            InetAddress.getLoopbackAddress(), Integer.parseInt(started.group(1)));
      }
      if (!process.isAlive() || System.nanoTime() - deadline > 0) {
        throw new IOException("the server does not start; see " + log);
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** The lines that it has logged. */
  public List<String> log() throws IOException {
    return text().lines().toList();
  }

  private String text() throws IOException {
    return Files.exists(log) ? new String(Files.readAllBytes(log), StandardCharsets.UTF_8) : "";
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Sends SIGTERM. */
  public void terminate() {
    process.destroy();
  }

  /** The exit status; empty if the process still runs when {@code limit} has passed. */
  public OptionalInt awaitExit(Duration limit) throws InterruptedException {
    return process.waitFor(limit) ? OptionalInt.of(process.exitValue()) : OptionalInt.empty();
  }

  /** Ends it at once, without a signal that it can handle. */
  public void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() {
    kill();
  }
}
