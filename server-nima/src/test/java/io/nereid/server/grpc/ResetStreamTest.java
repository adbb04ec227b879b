package io.nereid.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.LocalServer;
import io.nereid.tck.TckModels;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client that resets its stream while a response waits for room in the stream's window. */
@Timeout(60)
class ResetStreamTest {
  /** Twice the window that a client has which gives none (RFC 9113, section 6.5.2). */
  private static final int BYTES = 2 * 65_535;

  @Test
  void logsNothing(@TempDir Path models) throws Exception {
    TckModels.extractTo(models);
    List<String> logged = Collections.synchronizedList(new ArrayList<>());
    Handler handler = loggingOf("io.grpc", logged);
    Logger root = Logger.getLogger("");
    root.addHandler(handler);
    try (var server = new LocalServer(models);
        var client = Http2Socket.open(server.grpcPort())) {
      client.writeCall(1, "inference.GRPCInferenceService/ModelInfer");
      client.writeMessage(1, false, request(), true);
      for (int come = 0; come < 65_535; ) {
        come += client.await(frame -> frame.type() == Http2Socket.DATA).payload().length;
      }

      client.writeFrame(Http2Socket.RST_STREAM, 0, 1, new byte[] {0, 0, 0, 8});
      client.writeFrame(Http2Socket.PING, 0, 0, new byte[8]);
      client.await(frame -> frame.type() == Http2Socket.PING && frame.flags() == Http2Socket.ACK);
    } finally {
      root.removeHandler(handler);
    }
    assertThat(logged).isEmpty();
  }

  private static byte[] request() {
    return ModelInferRequest.newBuilder()
        .setModelName("identity_uint8")
        .addInputs(
            ModelInferRequest.InferInputTensor.newBuilder()
                .setName("INPUT0")
                .setDatatype("UINT8")
                .addShape(BYTES))
        .addRawInputContents(ByteString.copyFrom(new byte[BYTES]))
        .build()
        .toByteArray();
  }

  private static Handler loggingOf(String prefix, List<String> logged) {
    return new Handler() {
      @Override
      public void publish(LogRecord line) {
        if (String.valueOf(line.getLoggerName()).startsWith(prefix)) {
          logged.add(line.getLoggerName() + " " + line.getMessage() + " " + line.getThrown());
        }
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }
}
