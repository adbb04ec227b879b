package io.nereid.server.hostile;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A request every 100 ms to the model {@code good} over each protocol, and to the probes, each on a
 * thread of its own. A latency counts from when its request was due, so that a stall is seen in
 * full.
 */
final class SteadyRequests implements AutoCloseable {
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** An exchange with a thread of this process, which shows delays of the machine. */
  static final String MACHINE = "machine";

  /** The ways to send, in the order of the table. */
  static final List<String> WAYS = List.of("http", "grpc", "live", "ready", MACHINE);

  /** A request that throws unless it is answered with success. */
  private interface Exchange {
    void send() throws IOException;
  }

  private final HttpWire http;
  private final HttpWire live;
  private final HttpWire ready;
  private final ManagedChannel channel;
  private final ServerSocket echo = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
  private final List<Thread> threads = new ArrayList<>();
  private final Map<String, Long> maxNanos = new ConcurrentHashMap<>();
  private final Map<String, Integer> sent = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean isCounting;
  private volatile boolean isOver;

  SteadyRequests(int httpPort, int grpcPort) throws IOException {
    URI address = URI.create("http://127.0.0.1:" + httpPort);
    http = new HttpWire(address);
    live = new HttpWire(address);
    ready = new HttpWire(address);
    channel = ManagedChannelBuilder.forAddress("127.0.0.1", grpcPort).usePlaintext().build();
    var grpc = GRPCInferenceServiceGrpc.newBlockingStub(channel);
    Thread.ofPlatform().daemon().name("echo").start(this::echo);
    start("http", () -> requireOk(post(http, "good", "INPUT0", "4")));
    start("grpc", () -> infer(grpc, "good", "INPUT0", 4));
    start("live", () -> requireOk(live.send("GET", "/v2/health/live", new byte[0], Map.of())));
    start(
        "ready", // whatever the answer is: it is that of all models
        () -> ready.send("GET", "/v2/health/ready", new byte[0], Map.of()));
    start(MACHINE, this::exchangeByte);
  }

  /** Sends a request with four numbers over HTTP. */
  static HttpWire.Response post(HttpWire wire, String model, String input, String shape) {
    String body =
        "{\"inputs\": [{\"name\": \"%s\", \"datatype\": \"FP32\", \"shape\": [%s], \"data\": [7, 7, 7, 7]}]}"
            .formatted(input, shape);
    return wire.send(
        "POST", "/v2/models/" + model + "/infer", body.getBytes(StandardCharsets.UTF_8), Map.of());
  }

  /** Sends one over gRPC, which must succeed. */
  static void infer(
      GRPCInferenceServiceBlockingStub stub, String model, String input, long... shape) {
    var tensor = ModelInferRequest.InferInputTensor.newBuilder().setName(input).setDatatype("FP32");
    for (long size : shape) {
      tensor.addShape(size);
    }
    var request =
        ModelInferRequest.newBuilder()
            .setModelName(model)
            .addInputs(tensor)
            .addRawInputContents(ByteString.copyFrom(new byte[16]))
            .build();
    var _ = stub.withDeadlineAfter(20, TimeUnit.SECONDS).modelInfer(request);
  }

  private static void requireOk(HttpWire.Response response) throws IOException {
    if (response.status() != 200) {
      throw new IOException(response.status() + " " + response.text());
    }
  }

  private void echo() {
    while (!echo.isClosed()) {
      try (Socket socket = echo.accept()) {
        socket.getOutputStream().write(socket.getInputStream().read());
      } catch (IOException closed) {
        // the loop ends
      }
    }
  }

  private void exchangeByte() throws IOException {
    try (var socket = new Socket(echo.getInetAddress(), echo.getLocalPort())) {
      socket.getOutputStream().write(1);
      if (socket.getInputStream().read() != 1) {
        throw new IOException("no echo");
      }
    }
  }

  private void start(String way, Exchange exchange) {
    threads.add(Thread.ofPlatform().daemon().name(way).start(() -> run(way, exchange)));
  }

  private void run(String way, Exchange exchange) {
    for (long due = System.nanoTime(); !isOver; due += INTERVAL_NANOS) {
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      boolean isCounted = isCounting; // else its connection may be new
      try {
        exchange.send();
      } catch (IOException | RuntimeException failure) {
        failures.add(way + ": " + failure);
      }
      sent.merge(way, 1, Integer::sum);
      if (isCounted) {
        maxNanos.merge(way, System.nanoTime() - due, Math::max);
      }
    }
  }

  /** Waits until each way has sent so many requests; from then on latencies count. */
  void countBehind(int requests) {
    while (sent.size() < WAYS.size()
        || sent.values().stream().anyMatch(count -> count < requests)) {
      LockSupport.parkNanos(1_000_000);
    }
    isCounting = true;
  }

  /** No more requests; waits for those that are sent. */
  void stop() throws InterruptedException {
    isOver = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  List<String> failures() {
    return List.copyOf(failures);
  }

  /** The highest latency so far. */
  double maxMillis(String way) {
    return maxNanos.getOrDefault(way, 0L) / 1e6;
  }

  @Override
  public void close() throws IOException {
    isOver = true;
    echo.close();
    http.close();
    live.close();
    ready.close();
    channel.shutdownNow();
  }
}
