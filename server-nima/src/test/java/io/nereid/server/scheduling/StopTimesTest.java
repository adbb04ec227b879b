package io.nereid.server.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.scheduling.StopwatchBackend.Run;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Measures and prints the time from a client's cancellation to the end of its execution in the
 * backend. {@code -Dnereid.cancels=100} sets the number of cancellations.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class StopTimesTest extends StopwatchServer {
  private static final int CANCELS = Integer.getInteger("nereid.cancels", 10);

  /**
   * Prints the times from a cancellation to the end of the execution.
   *
   * @param client sends a request that runs until it is cancelled, by the returned action
   */
  private static void assertStops(String what, Supplier<Runnable> client) throws Exception {
    long[] nanos = new long[CANCELS];
    for (int i = 0; i < CANCELS; i++) {
      Runnable cancel = client.get();
      assertThat(StopwatchBackend.BEGUN.poll(60, TimeUnit.SECONDS)).isNotNull();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50)); // until the loop runs
      assertThat(StopwatchBackend.ENDED).isEmpty();
      long start = System.nanoTime();
      cancel.run();
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
  void stopsAnOnnxModelWhoseGrpcCallIsCancelled() throws Exception {
    var message = ModelInferRequest.newBuilder().setModelName("loop");
    message.addInputsBuilder().setName("STEPS").setDatatype("INT64").addShape(1);
    message.addRawInputContents(steps());

    assertStops(
        "ONNX, gRPC cancelled",
        () -> {
          var response =
              GRPCInferenceServiceGrpc.newFutureStub(channel()).modelInfer(message.build());
          return () -> response.cancel(true);
        });
  }

  /** The largest INT64. */
  private static ByteString steps() {
    return ByteString.copyFrom(new byte[] {-1, -1, -1, -1, -1, -1, -1, 127});
  }

  @Test
  void stopsAnOnnxModelWhoseHttpConnectionIsClosed() throws Exception {
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
            var socket = new Socket(InetAddress.getLoopbackAddress(), http().getPort());
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
