package io.nereid.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.server.options.ParsedOptions;
import io.nereid.server.options.ServerOptions;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A server on free ports of the loopback address. Its close fails if a lease is outstanding. */
public final class LocalServer implements AutoCloseable {
  private static final String LOOPBACK = "127.0.0.1";

  private final BufferPool pool;
  private final NereidServer server;
  private final ManagedChannel channel;

  /** Starts a server of a model repository. */
  public LocalServer(Path repository) throws IOException {
    this(options(repository), new CheckedBufferPool());
  }

  /**
   * Starts a server.
   *
   * @param options created by {@link #options}
   */
  public LocalServer(ServerOptions options, BufferPool pool) throws IOException {
    this.pool = pool;
    server = start(options, pool);
    channel = ManagedChannelBuilder.forAddress(LOOPBACK, server.grpcPort()).usePlaintext().build();
  }

  /**
   * Starts a server alone, without a channel.
   *
   * @param options created by {@link #options}
   */
  public static NereidServer start(ServerOptions options, BufferPool pool) throws IOException {
    var server = new NereidServer(options, NereidServer.unconfigured(options), pool);
    server.start();
    return server;
  }

  /** Options for both protocols on free ports, without metrics unless {@code more} allows them. */
  public static ServerOptions options(Path repository, String... more) {
    return ParsedOptions.of(
        Stream.concat(
                Stream.of(
                    "--model-repository=" + repository,
                    "--http-address=" + LOOPBACK,
                    "--http-port=0",
                    "--grpc-address=" + LOOPBACK,
                    "--grpc-port=0",
                    "--allow-metrics=false"),
                Stream.of(more))
            .toArray(String[]::new));
  }

  /** Has the files of TLS read again. */
  public void reloadCertificates() {
    server.frontEnds().reloadCertificates();
  }

  public int grpcPort() {
    return server.grpcPort();
  }

  public URI http() {
    return URI.create("http://" + LOOPBACK + ":" + server.httpPort());
  }

  /** The address of the metrics, if the options allow them. */
  public URI metrics() {
    return URI.create("http://" + LOOPBACK + ":" + server.metricsPort());
  }

  /** The text of the metrics, once a line of it matches a pattern. */
  public String awaitMetric(String pattern) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      String text;
      try (var wire = new HttpWire(metrics())) {
        text = wire.send("GET", "/metrics", new byte[0], Map.of()).text();
      }
      if (text.lines().anyMatch(line -> line.matches(pattern))) {
        return text;
      }
      assertThat(System.nanoTime() - deadline).as("%s in %s", pattern, text).isNegative();
      LockSupport.parkNanos(10_000_000);
    }
  }

  public ManagedChannel channel() {
    return channel;
  }

  /** The parsed response to an inference request over HTTP, which must succeed. */
  public Object infer(String model, String body) {
    try (var wire = new HttpWire(http())) {
      HttpWire.Response response =
          wire.send("POST", "/v2/models/" + model + "/infer", body.getBytes(UTF_8), Map.of());
      assertThat(response.status()).as(response.text()).isEqualTo(200);
      return Json.parse(response.body());
    }
  }

  /** The output of that name in a parsed response. */
  public static Object output(Object response, String name) {
    for (Object output : Json.list(response, "outputs")) {
      if (Json.member(output, "name").equals(name)) {
        return output;
      }
    }
    throw new AssertionError("no output '%s' in %s".formatted(name, response));
  }

  /** Stops the server while the clients are connected. */
  public void stop() {
    server.close();
  }

  /** Whether {@link #stop} cut nothing off. */
  public boolean isStoppedInTime() {
    return server.isClosedInTime();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.close();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (pool.outstanding() > 0 && System.nanoTime() < deadline) {
      LockSupport.parkNanos(1_000_000); // a connection that was cut off still gives back its own
    }
    assertThat(pool.outstanding()).as("outstanding leases").isZero();
  }
}
