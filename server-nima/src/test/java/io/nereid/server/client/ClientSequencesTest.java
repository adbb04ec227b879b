package io.nereid.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.LocalServer;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.support.HttpWire;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The limit of the sequences of a client, which counts those of both protocols. */
@Timeout(120)
class ClientSequencesTest {
  private static final String MODEL = "of_sequences";
  private static final String REFUSED =
      "[request id: r] model 'of_sequences' begins no sequence for this client, which has as many"
          + " as it may have (--max-client-sequences); end others first";

  @TempDir Path directory;
  private LocalServer server;

  @BeforeEach
  void start() throws Exception {
    ModelOnDisk.of(
        directory,
        MODEL,
        """
        backend: "gate"
        input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
        output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
        instance_group { count: 1 kind: KIND_CPU }
        sequence_batching {
          max_sequence_idle_microseconds: 600000000
          oldest { max_candidate_sequences: 16 }
        }
        """);
    server =
        new LocalServer(
            LocalServer.options(
                directory, "--max-client-sequences=2", "--allow-metrics=true", "--metrics-port=0"),
            new CheckedBufferPool());
    Gate.of(MODEL).open(100);
    assertThat(overHttp(1, true, false).status()).isEqualTo(200);
    overGrpc(2, true, false);
  }

  @AfterEach
  void stop() throws Exception {
    overHttp(1, false, true);
    overHttp(2, false, true);
    overHttp(3, false, true);
    Gate.of(MODEL).tearDown();
    server.close();
    Gate.forget(MODEL);
  }

  private HttpWire.Response overHttp(int sequence, boolean start, boolean end) {
    String json =
        ("{\"id\":\"r\",\"parameters\":{\"sequence_id\":%d,\"sequence_start\":%s,"
                + "\"sequence_end\":%s},\"inputs\":[{\"name\":\"IN0\",\"datatype\":\"UINT8\","
                + "\"shape\":[2],\"data\":[1,2]}]}")
            .formatted(sequence, start, end);
    try (var wire = new HttpWire(server.http())) {
      return wire.send(
          "POST",
          "/v2/models/" + MODEL + "/infer",
          json.getBytes(StandardCharsets.UTF_8),
          Map.of());
    }
  }

  private void overGrpc(int sequence, boolean start, boolean end) {
    var request = ModelInferRequest.newBuilder().setModelName(MODEL).setId("r");
    request.addInputsBuilder().setName("IN0").setDatatype("UINT8").addShape(2);
    request.addRawInputContents(ByteString.copyFrom(new byte[2]));
    request.putParameters(
        "sequence_id", InferParameter.newBuilder().setInt64Param(sequence).build());
    request.putParameters(
        "sequence_start", InferParameter.newBuilder().setBoolParam(start).build());
    request.putParameters("sequence_end", InferParameter.newBuilder().setBoolParam(end).build());
    GRPCInferenceServiceGrpc.newBlockingStub(server.channel()).modelInfer(request.build());
  }

  @Test
  void refusesASequenceOverHttpWith429() {
    HttpWire.Response refused = overHttp(3, true, false);

    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.text()).isEqualTo("{\"error\":\"" + REFUSED + "\"}");
    assertThat(overHttp(1, false, false).status()).isEqualTo(200);
  }

  @Test
  void refusesASequenceOverGrpcAsResourceExhausted() {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> overGrpc(3, true, false))
        .satisfies(failure -> {
          assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
          assertThat(failure.getStatus().getDescription()).isEqualTo(REFUSED);
        });
  }

  @Test
  void beginsAnotherSequenceOnceOneHasEnded() {
    overGrpc(2, false, true);

    assertThatCode(() -> overGrpc(3, true, false)).doesNotThrowAnyException();
  }

  @Test
  void countsWhatItRefuses() {
    overHttp(3, true, false);

    try (var wire = new HttpWire(server.metrics())) {
      assertThat(wire.send("GET", "/metrics", new byte[0], Map.of()).text())
          .contains(
              "nereid_inference_refused_total{model=\"of_sequences\",reason=\"sequence_share\","
                  + "version=\"1\"} 1");
    }
  }
}
