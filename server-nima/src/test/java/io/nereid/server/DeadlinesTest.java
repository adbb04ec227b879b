package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.nereid.protocol.wire.GRPCInferenceServiceGrpc;
import io.nereid.protocol.wire.ModelInferRequest;
import io.nereid.protocol.wire.ModelInferResponse;
import io.nereid.server.StopwatchBackend.Run;
import io.nereid.tck.support.HttpWire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * How exactly deadlines and cancellations are kept, from a client's socket to the backend, and
 * printed. All in one process, so that all times are of one clock. {@code -Dnereid.deadlines=1000
 * -Dnereid.cancels=100} for a long run.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class DeadlinesTest {
  private static final int REQUESTS = Integer.getInteger("nereid.deadlines", 100);
  private static final int CANCELS = Integer.getInteger("nereid.cancels", 10);

  private static final long DEADLINE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private static final int WARM_UP = 200;

  /** What a machine that is busy otherwise may add between a decision and what follows from it. */
  private static final long JITTER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final String SLOW =
      """
      backend: "stopwatch"
      input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      instance_group { count: 1 kind: KIND_CPU }
      parameters { key: "of" value { string_value: "gate" } }
      parameters { key: "gate_open" value { string_value: "true" } }
      parameters { key: "execute_micros" value { string_value: "200000" } }
      """;
  private static final String QUEUE =
      "dynamic_batching { default_queue_policy { allow_timeout_override: true"
          + " default_timeout_microseconds: 3600000000 } }";
  private static final String ONNX =
      """
      backend: "stopwatch"
      instance_group { count: 1 kind: KIND_CPU }
      parameters { key: "of" value { string_value: "onnxruntime" } }
      parameters { key: "intra_op_thread_count" value { string_value: "1" } }
      """;
  private static final Path LOOP =
      Path.of("../backend-onnx/src/test/resources/models/loop.onnx").toAbsolutePath();

  private final ArrivalPool pool = new ArrivalPool();
  private InferenceServer server;
  private ManagedChannel channel;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    model(directory, "slow", SLOW);
    model(directory, "slow_queue", SLOW + QUEUE);
    Files.copy(LOOP, model(directory, "loop", ONNX).resolve("model.onnx"));
    var options = new ServerOptions();
    options.modelRepositories.add(directory);
    options.httpAddress = "127.0.0.1";
    options.httpPort = 0;
    options.grpcAddress = "127.0.0.1";
    options.grpcPort = 0;
    options.allowMetrics = false;
    server = new InferenceServer(options, pool);
    server.start();
    channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", server.grpcPort()).usePlaintext().build();
    StopwatchBackend.BEGUN.clear();
    StopwatchBackend.ENDED.clear();
  }

  /** Writes a model; returns the folder of its version. */
  private static Path model(Path repository, String name, String config) throws IOException {
    Path version = Files.createDirectories(repository.resolve(name).resolve("1"));
    Files.writeString(version.resolveSibling("config.pbtxt"), config);
    return version;
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.close();
    assertThat(pool.outstanding()).as("leases that nobody gave back").isZero();
  }

  /** Each request has a size of its own, by which the pool tells when it arrived. */
  private static int byteSize(int request) {
    return 10_000 + request;
  }

  /** What came of each of {@link #REQUESTS}, after others that have warmed server and client up. */
  private static List<String> answers(IntFunction<CompletableFuture<String>> client) {
    send(client, REQUESTS, WARM_UP);
    StopwatchBackend.BEGUN.clear();
    return send(client, 0, REQUESTS);
  }

  /** Sends requests, one every {@link #INTERVAL_NANOS}; returns what came of each. */
  private static List<String> send(
      IntFunction<CompletableFuture<String>> client, int first, int count) {
    long start = System.nanoTime();
    List<CompletableFuture<String>> answers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long due = start + i * INTERVAL_NANOS;
      while (System.nanoTime() - due < 0) {
        LockSupport.parkNanos(due - System.nanoTime());
      }
      answers.add(client.apply(first + i));
    }
    return answers.stream().map(CompletableFuture::join).toList();
  }

  /**
   * Prints, and returns by request id, by how much executions began after the deadline, which
   * counts from when the server began to read the request; negative if before.
   */
  private Map<String, Long> late(String what, IntToLongFunction leaseSize) {
    Map<String, Long> late = new TreeMap<>();
    for (Run run : StopwatchBackend.BEGUN) {
      long arrival = pool.firstNanos(leaseSize.applyAsLong(Integer.parseInt(run.requestId())));
      late.put(run.requestId(), run.nanos() - arrival - DEADLINE_NANOS);
    }
    System.out.printf(
        "%s: %d requests, %d executions, %d of them begun after expiry, the last at %+.3f ms%n",
        what,
        REQUESTS,
        late.size(),
        late.values().stream().filter(nanos -> nanos > 0).count(),
        late.isEmpty() ? 0 : Collections.max(late.values()) / 1e6);
    return late;
  }

  private CompletableFuture<String> overGrpc(int request) {
    var message = ModelInferRequest.newBuilder().setModelName("slow").setId("" + request);
    message.addInputsBuilder().setName("IN0").setDatatype("UINT8").addShape(byteSize(request));
    message.addRawInputContents(ByteString.copyFrom(new byte[byteSize(request)]));
    var answer = new CompletableFuture<String>();
    ClientCalls.asyncUnaryCall(
        channel.newCall(
            GRPCInferenceServiceGrpc.getModelInferMethod(),
            CallOptions.DEFAULT.withDeadlineAfter(DEADLINE_NANOS, TimeUnit.NANOSECONDS)),
        message.build(),
        new StreamObserver<>() {
          @Override
          public void onNext(ModelInferResponse response) {
            answer.complete("OK");
          }

          @Override
          public void onError(Throwable failure) {
            answer.complete(Status.fromThrowable(failure).getCode().name());
          }

          @Override
          public void onCompleted() {}
        });
    return answer;
  }

  @Test
  void noExecutionBeginsForACallOverGrpcWhoseDeadlineIsOver() {
    var answers = answers(this::overGrpc);

    assertThat(answers).containsOnly("DEADLINE_EXCEEDED"); // the model takes four times as long
    assertThat(late("gRPC deadlines", DeadlinesTest::byteSize).values())
        .isNotEmpty()
        .allMatch(nanos -> nanos < JITTER_NANOS);
  }

  private static String json(int request) {
    return ("{\"id\":\"%04d\",\"parameters\":{\"timeout\":%d},\"inputs\":[{\"name\":\"IN0\","
            + "\"datatype\":\"UINT8\",\"shape\":[%d],\"parameters\":{\"binary_data_size\":%d}}]}")
        .formatted(request, DEADLINE_NANOS / 1000, byteSize(request), byteSize(request));
  }

  /** The memory of a request's body over HTTP, whose head is filled up to whole cache lines. */
  private static long bodySize(int request) {
    return byteSize(request) + (json(request).length() + 63L) / 64 * 64;
  }

  private CompletableFuture<String> overHttp(int request) {
    var body = new ByteArrayOutputStream();
    body.writeBytes(json(request).getBytes(StandardCharsets.US_ASCII));
    int head = body.size();
    body.writeBytes(new byte[byteSize(request)]);
    var answer = new CompletableFuture<String>();
    Thread.startVirtualThread(() -> {
      try (var wire = new HttpWire(http())) {
        var response =
            wire.send(
                "POST",
                "/v2/models/slow_queue/infer",
                body.toByteArray(),
                Map.of("Inference-Header-Content-Length", "" + head));
        answer.complete(response.status() == 200 ? "200" : response.status() + response.text());
      } catch (RuntimeException broken) {
        answer.completeExceptionally(broken);
      }
    });
    return answer;
  }

  private URI http() {
    return URI.create("http://127.0.0.1:" + server.httpPort());
  }

  @Test
  void noExecutionBeginsForARequestOverHttpWhoseTimeInTheQueueIsOver() {
    var answers = answers(this::overHttp);

    var begun = late("HTTP queue timeouts", DeadlinesTest::bodySize).keySet();
    for (int i = 0; i < REQUESTS; i++) {
      assertThat(answers.get(i))
          .isEqualTo(
              begun.contains("%04d".formatted(i))
                  ? "200"
                  : "503{\"error\":\"Request timeout expired\"}");
    }
  }

  /**
   * Prints how long executions go on after they were called off.
   *
   * @param client sends a request that runs for ever; what it returns gives up
   */
  private static void assertStops(String what, Supplier<Runnable> client) throws Exception {
    long[] nanos = new long[CANCELS];
    for (int i = 0; i < CANCELS; i++) {
      Runnable giveUp = client.get();
      assertThat(StopwatchBackend.BEGUN.poll(60, TimeUnit.SECONDS)).isNotNull();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50)); // well inside the loop
      assertThat(StopwatchBackend.ENDED).isEmpty();
      long start = System.nanoTime();
      giveUp.run();
      Run ended = StopwatchBackend.ENDED.poll(60, TimeUnit.SECONDS);
      nanos[i] = ended.nanos() - start;
    }
    Arrays.sort(nanos);
    System.out.printf(
        "%s: %d executions stop after %.3f ms (p50), %.3f ms (p99), %.3f ms (max)%n",
        what,
        CANCELS,
        nanos[CANCELS / 2] / 1e6,
        nanos[(CANCELS * 99 - 1) / 100] / 1e6,
        nanos[CANCELS - 1] / 1e6);
    assertThat(nanos[CANCELS / 2]).isLessThan(JITTER_NANOS);
  }

  @Test
  void aRunningOnnxModelStopsWhenItsCallOverGrpcIsCancelled() throws Exception {
    var message = ModelInferRequest.newBuilder().setModelName("loop");
    message.addInputsBuilder().setName("STEPS").setDatatype("INT64").addShape(1);
    message.addRawInputContents(steps());

    assertStops(
        "ONNX, gRPC cancelled",
        () -> {
          var answer = GRPCInferenceServiceGrpc.newFutureStub(channel).modelInfer(message.build());
          return () -> answer.cancel(true);
        });
  }

  /** As many as there are. */
  private static ByteString steps() {
    return ByteString.copyFrom(new byte[] {-1, -1, -1, -1, -1, -1, -1, 127});
  }

  @Test
  void aRunningOnnxModelStopsWhenItsClientOverHttpHangsUp() throws Exception {
    String json =
        "{\"inputs\":[{\"name\":\"STEPS\",\"datatype\":\"INT64\",\"shape\":[1],\"data\":[%d]}]}"
            .formatted(Long.MAX_VALUE);
    byte[] request =
        "POST /v2/models/loop/infer HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(json.length(), json)
            .getBytes(StandardCharsets.US_ASCII);

    assertStops(
        "ONNX, HTTP hung up",
        () -> {
          try {
            var socket = new Socket(InetAddress.getLoopbackAddress(), server.httpPort());
            socket.getOutputStream().write(request);
            return () -> close(socket);
          } catch (IOException broken) {
            throw new UncheckedIOException(broken);
          }
        });
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
