package io.nereid.server.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.server.scheduling.StopwatchBackend.Run;
import io.nereid.tck.support.HttpWire;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Measures and prints how late executions begin after the deadlines of their requests. {@code
 * -Dnereid.deadlines=1000} sets the number of requests.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class DeadlinesTest extends StopwatchServer {
  private static final int REQUESTS = Integer.getInteger("nereid.deadlines", 100);
  private static final long DEADLINE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final int WARM_UP = 200;

  /** Each request has a size of its own, by which the pool records its arrival. */
  private static int byteSize(int request) {
    return 10_000 + request;
  }

  /** The outcomes of {@link #REQUESTS} requests, after others that warm up server and client. */
  private static List<String> outcomes(IntFunction<CompletableFuture<String>> client) {
    send(client, REQUESTS, WARM_UP);
    StopwatchBackend.BEGUN.clear();
    return send(client, 0, REQUESTS);
  }

  /** Sends a request every {@link #INTERVAL_NANOS}; returns their outcomes. */
  private static List<String> send(
      IntFunction<CompletableFuture<String>> client, int first, int count) {
    long start = System.nanoTime();
    List<CompletableFuture<String>> outcomes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long due = start + i * INTERVAL_NANOS;
      while (System.nanoTime() - due < 0) {
        LockSupport.parkNanos(due - System.nanoTime());
      }
      outcomes.add(client.apply(first + i));
    }
    return outcomes.stream().map(CompletableFuture::join).toList();
  }

  /**
   * Prints, and returns by request id, how late executions began after the deadline, negative if
   * before. The deadline counts from when the server began to read the request.
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
    var outcome = new CompletableFuture<String>();
    ClientCalls.asyncUnaryCall(
        channel()
            .newCall(
                GRPCInferenceServiceGrpc.getModelInferMethod(),
                CallOptions.DEFAULT.withDeadlineAfter(DEADLINE_NANOS, TimeUnit.NANOSECONDS)),
        message.build(),
        new StreamObserver<>() {
          @Override
          public void onNext(ModelInferResponse response) {
            outcome.complete("OK");
          }

          @Override
          public void onError(Throwable failure) {
            outcome.complete(Status.fromThrowable(failure).getCode().name());
          }

          @Override
          public void onCompleted() {}
        });
    return outcome;
  }

  @Test
  void beginsNoExecutionOfAGrpcCallWhoseDeadlineHasExpired() {
    var outcomes = outcomes(this::overGrpc);

    // The model takes four times as long, so a request that would wait at all is refused.
    assertThat(outcomes).isSubsetOf("DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED");
    assertThat(late("gRPC deadlines", DeadlinesTest::byteSize).values())
        .isNotEmpty()
        .allMatch(nanos -> nanos < JITTER_NANOS);
  }

  private static String json(int request) {
    return ("{\"id\":\"%04d\",\"parameters\":{\"timeout\":%d},\"inputs\":[{\"name\":\"IN0\","
            + "\"datatype\":\"UINT8\",\"shape\":[%d],\"parameters\":{\"binary_data_size\":%d}}]}")
        .formatted(request, DEADLINE_NANOS / 1000, byteSize(request), byteSize(request));
  }

  /** The lease of a request's body over HTTP, whose head is padded to whole cache lines. */
  private static long bodySize(int request) {
    return byteSize(request) + (json(request).length() + 63L) / 64 * 64;
  }

  private CompletableFuture<String> overHttp(int request) {
    var body = new ByteArrayOutputStream();
    body.writeBytes(json(request).getBytes(StandardCharsets.US_ASCII));
    int head = body.size();
    body.writeBytes(new byte[byteSize(request)]);
    var outcome = new CompletableFuture<String>();
    Thread.startVirtualThread(() -> {
      try (var wire = new HttpWire(http())) {
        var response =
            wire.send(
                "POST",
                "/v2/models/slow_queue/infer",
                body.toByteArray(),
                Map.of("Inference-Header-Content-Length", "" + head));
        outcome.complete(response.status() == 200 ? "200" : response.status() + response.text());
      } catch (RuntimeException broken) {
        outcome.completeExceptionally(broken);
      }
    });
    return outcome;
  }

  @Test
  void beginsNoExecutionOfAnHttpRequestWhoseQueueTimeoutHasExpired() {
    var outcomes = outcomes(this::overHttp);

    var begun = late("HTTP queue timeouts", DeadlinesTest::bodySize).keySet();
    for (int i = 0; i < REQUESTS; i++) {
      String outcome = outcomes.get(i);
      if (begun.contains("%04d".formatted(i))) {
        assertThat(outcome).isEqualTo("200");
      } else if (!outcome.startsWith("429")) { // admitted
        assertThat(outcome).isEqualTo("503{\"error\":\"Request timeout expired\"}");
      }
    }
  }
}
