package io.nereid.server.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.LocalServer;
import io.nereid.tck.gate.Gate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A server with two models of one instance each, which copy {@code IN0} to {@code OUT0} once a test
 * opens their gates. Its close fails if a lease is outstanding.
 */
public final class HeldServer implements AutoCloseable {
  /** The model whose executions end once the gate is open. */
  public static final String HELD = "held";

  /** The model whose executions then take hours unless they are cancelled. */
  public static final String ENDLESS = "endless";

  private final BufferPool pool = new CheckedBufferPool();
  private final LocalServer server;

  /**
   * @param scheduling further lines of the models' {@code config.pbtxt}
   * @param options further ones of the command line
   */
  public HeldServer(Path repository, String scheduling, String... options) throws IOException {
    model(repository, HELD, scheduling);
    model(
        repository,
        ENDLESS,
        scheduling
            + "parameters { key: \"execute_micros\" value { string_value: \"9000000000\" } }");
    server = new LocalServer(LocalServer.options(repository, options), pool);
  }

  private static void model(Path repository, String name, String more) {
    ModelOnDisk.of(
        repository,
        name,
        """
        backend: "gate"
        input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
        output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
        instance_group { count: 1 kind: KIND_CPU }
        """
            + more);
  }

  /** The gate of {@link #HELD}. */
  public Gate gate() {
    return Gate.of(HELD);
  }

  /** The gate of {@link #ENDLESS}. */
  public Gate endlessGate() {
    return Gate.of(ENDLESS);
  }

  public ManagedChannel channel() {
    return server.channel();
  }

  public URI http() {
    return server.http();
  }

  /** Of a server whose options allow metrics. */
  public URI metrics() {
    return server.metrics();
  }

  public int grpcPort() {
    return server.grpcPort();
  }

  public Socket connect() throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), http().getPort());
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(60_000);
    return socket;
  }

  /** The bytes of an HTTP inference request with {@code byteSize} bytes of binary data. */
  public static byte[] request(String model, String id, int byteSize) {
    return request(model, id, byteSize, "");
  }

  /**
   * The same with more header fields.
   *
   * @param fields further ones of the head, each with its line end
   */
  public static byte[] request(String model, String id, int byteSize, String fields) {
    String json =
        ("{\"id\":\"%s\",\"inputs\":[{\"name\":\"IN0\",\"datatype\":\"UINT8\",\"shape\":[%d],"
                + "\"parameters\":{\"binary_data_size\":%d}}]}")
            .formatted(id, byteSize, byteSize);
    String head =
        ("POST /v2/models/%s/infer HTTP/1.1\r\nHost: x\r\nInference-Header-Content-Length: %d\r\n"
                + "Content-Length: %d\r\n%s\r\n%s")
            .formatted(model, json.length(), json.length() + byteSize, fields, json);
    byte[] text = head.getBytes(StandardCharsets.ISO_8859_1);
    byte[] bytes = new byte[text.length + byteSize];
    System.arraycopy(text, 0, bytes, 0, text.length);
    for (int i = text.length; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    return bytes;
  }

  /** The number of outstanding leases. */
  public long outstanding() {
    return pool.outstanding();
  }

  /** Waits until that many leases are outstanding. */
  public void awaitOutstanding(long leases) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (pool.outstanding() != leases) {
      assertThat(System.nanoTime() - deadline)
          .as("still %d leases, not %d; %s", pool.outstanding(), leases, gate())
          .isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Override
  public void close() {
    gate().tearDown();
    endlessGate().tearDown();
    server.close();
    Gate.forget(HELD);
    Gate.forget(ENDLESS);
  }
}
