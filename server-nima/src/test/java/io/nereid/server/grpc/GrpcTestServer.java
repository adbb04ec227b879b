package io.nereid.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.memory.RequestMemory.Reservation;
import io.nereid.engine.model.control.FakeModelControl;
import io.nereid.server.codec.LongWork;
import io.nereid.server.frontend.Listener;
import io.nereid.server.frontend.TestServices;
import io.nereid.server.grpc.limits.GrpcLimits;
import io.nereid.server.grpc.limits.GrpcRefusal;
import io.nereid.server.security.ListenerSecurity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * The gRPC front end without an engine, for tests with frames that no library would send. The end
 * of a test closes it, and finds memory that is still leased.
 */
final class GrpcTestServer implements AutoCloseable {
  static final String INFER = "inference.GRPCInferenceService/ModelInfer";
  static final String STREAM = "inference.GRPCInferenceService/ModelStreamInfer";
  static final String INDEX = "inference.GRPCInferenceService/RepositoryIndex";
  static final String LOAD = "inference.GRPCInferenceService/RepositoryModelLoad";
  static final byte[] EMPTY = {};

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final RequestMemory requestMemory = new RequestMemory(1L << 30, 1L << 30);
  private final GrpcTransport transport;

  /**
   * @param models load and list models
   */
  GrpcTestServer(GrpcLimits limits, GrpcKeepAlive keepAlive, FakeModelControl models)
      throws IOException {
    this(limits, keepAlive, models, Optional.empty(), new LongWork(2));
  }

  /**
   * @param brokenPool whence requests get their memory instead; its leases are not counted
   */
  GrpcTestServer(
      GrpcLimits limits,
      GrpcKeepAlive keepAlive,
      FakeModelControl models,
      Optional<BufferPool> brokenPool,
      LongWork longWork)
      throws IOException {
    this(limits, keepAlive, models, brokenPool, longWork, ListenerSecurity.NONE);
  }

  GrpcTestServer(ListenerSecurity security) throws IOException {
    this(
        GrpcLimits.DEFAULT,
        GrpcKeepAlive.DEFAULT,
        new FakeModelControl(),
        Optional.empty(),
        new LongWork(2),
        security);
  }

  private GrpcTestServer(
      GrpcLimits limits,
      GrpcKeepAlive keepAlive,
      FakeModelControl models,
      Optional<BufferPool> brokenPool,
      LongWork longWork,
      ListenerSecurity security)
      throws IOException {
    transport =
        GrpcTransport.of(
                new GrpcSettings(
                    new Listener("grpc", "127.0.0.1", 0, false),
                    limits,
                    keepAlive,
                    GrpcSettings.Features.DEFAULT),
                security,
                TestServices.of(models, brokenPool.orElse(pool), requestMemory, longWork))
            .start();
  }

  int port() {
    return transport.port();
  }

  /** Returns whether all calls have ended within that time. */
  boolean stop(Duration timeout) {
    return transport.stop(timeout);
  }

  long refused(GrpcRefusal refusal) {
    return transport.connections().refusals().counts().getOrDefault(refusal, 0L);
  }

  void awaitRefused(GrpcRefusal refusal, long count) {
    while (refused(refusal) < count) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  int calls() {
    return transport.connections().calls();
  }

  void awaitCalls(int count) {
    while (transport.connections().calls() < count) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  void awaitNoConnection() {
    while (transport.connections().count() > 0) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** The bytes of messages that are counted now. */
  long memoryBytes() {
    return transport.connections().memory().usedBytes();
  }

  /** Takes memory for messages in the name of the client of this machine, until it is closed. */
  Reservation reserve(long byteSize) {
    return transport
        .connections()
        .memory()
        .reserve(
            ClientKey.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)), byteSize);
  }

  /** Waits until no byte of a client is counted any more. */
  void awaitNoMemory() {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (requestMemory.usedBytes() + transport.connections().memory().usedBytes() > 0) {
      assertThat(System.nanoTime() - deadline)
          .as(
              "%d bytes of requests, %d of the transport",
              requestMemory.usedBytes(), transport.connections().memory().usedBytes())
          .isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  static void assertServes(Http2Socket client, int streamId) throws IOException {
    client.writeCall(streamId, INDEX);
    client.writeMessage(streamId, false, EMPTY, true);
    assertThat(client.awaitStatus(streamId)).startsWith("0 ");
  }

  @Override
  public void close() {
    var _ = stop(Duration.ofSeconds(10));
    assertThat(pool.outstanding()).isZero();
    awaitNoMemory();
  }
}
