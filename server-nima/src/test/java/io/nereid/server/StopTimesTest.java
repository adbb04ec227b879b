package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.nereid.server.StopwatchBackend.Run;
import io.nereid.server.protobuf.GRPCInferenceServiceGrpc;
import io.nereid.server.protobuf.ModelInferRequest;
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
 * How soon executions end once their clients have given up, from a client's socket to the backend,
 * and printed. {@code -Dnereid.cancels=100} for a long run.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class StopTimesTest extends StopwatchServer {
  private static final int CANCELS = Integer.getInteger("nereid.cancels", 10);

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
          var answer =
              GRPCInferenceServiceGrpc.newFutureStub(channel()).modelInfer(message.build());
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
