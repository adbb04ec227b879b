package io.nereid.server.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.InferTensorContents;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.Json;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ragged requests of both protocols in one batch of an ONNX model. */
class RaggedServerTest {
  private static final Path MODEL =
      Path.of("..", "backend-onnx/src/test/resources/models/ragged.onnx");

  /** Two requests are a batch; one alone waits longer than the test does. */
  private static final String CONFIG =
      """
      backend: "onnxruntime"
      max_batch_size: 4
      input { name: "IN" data_type: TYPE_FP32 dims: [ -1 ] allow_ragged_batch: true }
      output { name: "SUM" data_type: TYPE_FP32 dims: [ 1 ] }
      output { name: "NEGATED" data_type: TYPE_FP32 dims: [ -1 ] }
      output { name: "COUNT_OUT" data_type: TYPE_FP32 dims: [ 1 ] }
      output { name: "ITEMS_OUT" data_type: TYPE_INT32 dims: [ 1 ] }
      output { name: "MAX_OUT" data_type: TYPE_INT64 dims: [ 1 ] }
      batch_input {
        kind: BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO
        target_name: "BOUNDS" data_type: TYPE_INT32 source_input: "IN"
      }
      batch_input {
        kind: BATCH_ELEMENT_COUNT
        target_name: "COUNT" data_type: TYPE_FP32 source_input: "IN"
      }
      batch_input {
        kind: BATCH_ITEM_SHAPE
        target_name: "ITEMS" data_type: TYPE_INT32 source_input: "IN"
      }
      batch_input {
        kind: BATCH_MAX_ELEMENT_COUNT_AS_SHAPE
        target_name: "MAX" data_type: TYPE_INT32 source_input: "IN"
      }
      batch_output {
        kind: BATCH_SCATTER_WITH_INPUT_SHAPE
        target_name: "NEGATED" source_input: "IN"
      }
      dynamic_batching { preferred_batch_size: [ 2 ] max_queue_delay_microseconds: 600000000 }
      """;

  @TempDir private Path repository;
  private LocalServer server;

  @BeforeEach
  void start() throws Exception {
    Path model = ModelOnDisk.of(repository, "ragged", CONFIG).path();
    Files.copy(MODEL, model.resolve("1/model.onnx"));
    server = new LocalServer(repository);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private ListenableFuture<ModelInferResponse> overGrpc(float... values) {
    var contents = InferTensorContents.newBuilder();
    for (float value : values) {
      contents.addFp32Contents(value);
    }
    var request =
        ModelInferRequest.newBuilder()
            .setModelName("ragged")
            .addInputs(
                ModelInferRequest.InferInputTensor.newBuilder()
                    .setName("IN")
                    .setDatatype("FP32")
                    .addShape(1)
                    .addShape(values.length)
                    .setContents(contents));
    return GRPCInferenceServiceGrpc.newFutureStub(server.channel()).modelInfer(request.build());
  }

  private Object overHttp(String values, int count) {
    String body =
        """
        {"inputs":[{"name":"IN","datatype":"FP32","shape":[1,%d],"data":%s}]}
        """
            .formatted(count, values);
    return server.infer("ragged", body);
  }

  private static String shown(Object response, String name) {
    Object output = LocalServer.output(response, name);
    List<Double> values = new ArrayList<>();
    Json.list(output, "data").forEach(value -> values.add(((BigDecimal) value).doubleValue()));
    return Json.list(output, "shape") + " " + values;
  }

  private static String shown(ModelInferResponse response, String name) {
    for (int i = 0; i < response.getOutputsCount(); i++) {
      var output = response.getOutputs(i);
      if (output.getName().equals(name)) {
        ByteBuffer raw =
            response.getRawOutputContents(i).asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        List<Double> values = new ArrayList<>();
        while (raw.hasRemaining()) {
          values.add(
              switch (output.getDatatype()) {
                case "FP32" -> (double) raw.getFloat();
                case "INT32" -> (double) raw.getInt();
                default -> (double) raw.getLong();
              });
        }
        return output.getShapeList() + " " + values;
      }
    }
    throw new AssertionError("no output '%s' in %s".formatted(name, response));
  }

  @Test
  void requestsOfBothProtocolsShareABatch() throws Exception {
    var started = overGrpc(1, 2, 3);
    Object http = overHttp("[10,20]", 2);
    ModelInferResponse grpc = started.get(60, TimeUnit.SECONDS);

    assertThat(shown(http, "SUM")).isEqualTo("[1, 1] [30.0]");
    assertThat(shown(http, "NEGATED")).isEqualTo("[1, 2] [-10.0, -20.0]");
    assertThat(shown(http, "COUNT_OUT")).isEqualTo("[1, 1] [2.0]");
    assertThat(shown(http, "ITEMS_OUT")).isEqualTo("[1, 1] [2.0]");
    assertThat(shown(http, "MAX_OUT")).as("the other request's").isEqualTo("[1, 1] [3.0]");
    assertThat(shown(grpc, "SUM")).isEqualTo("[1, 1] [6.0]");
    assertThat(shown(grpc, "NEGATED")).isEqualTo("[1, 3] [-1.0, -2.0, -3.0]");
    assertThat(shown(grpc, "COUNT_OUT")).isEqualTo("[1, 1] [3.0]");
    assertThat(shown(grpc, "ITEMS_OUT")).isEqualTo("[1, 1] [3.0]");
    assertThat(shown(grpc, "MAX_OUT")).isEqualTo("[1, 1] [3.0]");
  }
}
