package io.nereid.server.backend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.engine.testing.LogCapture;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.InferTensorContents;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferRequest.InferInputTensor;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Outputs of ONNX models in other shapes than their files declare, over both protocols. */
class OnnxOutputsServerTest {
  private static final Path MODELS = Path.of("..", "backend-onnx/src/test/resources/models");

  private static final String RESHAPED =
      """
      backend: "onnxruntime"
      input { name: "IN" data_type: TYPE_FP32 dims: [ 2 ] }
      output { name: "OUT" data_type: TYPE_FP32 dims: [ 1, 1 ] reshape { shape: [ 1 ] } }
      max_batch_size: 8
      """;

  private static final String ANY_RANK =
      """
      backend: "onnxruntime"
      input [
        { name: "IN" data_type: TYPE_FP32 dims: [ -1, 2 ] },
        { name: "SHAPE" data_type: TYPE_INT64 dims: [ -1 ] }
      ]
      output { name: "OUT" data_type: TYPE_FP32 dims: [ -1, -1 ] }
      """;

  @TempDir private Path repository;

  private void model(String name, String file, String config) throws Exception {
    Path model = ModelOnDisk.of(repository, name, config).path();
    Files.copy(MODELS.resolve(file + ".onnx"), model.resolve("1/model.onnx"));
  }

  private static String shownOverHttp(LocalServer server, String model, String inputs) {
    Object output = LocalServer.output(server.infer(model, "{\"inputs\":[" + inputs + "]}"), "OUT");
    List<Integer> values = new ArrayList<>();
    Json.list(output, "data").forEach(value -> values.add(((BigDecimal) value).intValue()));
    return Json.list(output, "shape") + " " + values;
  }

  private static String shownOverGrpc(
      LocalServer server, String model, InferInputTensor... inputs) {
    var request =
        ModelInferRequest.newBuilder().setModelName(model).addAllInputs(List.of(inputs)).build();
    var response = GRPCInferenceServiceGrpc.newBlockingStub(server.channel()).modelInfer(request);
    ByteBuffer raw =
        response.getRawOutputContents(0).asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    List<Integer> values = new ArrayList<>();
    while (raw.hasRemaining()) {
      boolean isFloat = response.getOutputs(0).getDatatype().equals("FP32");
      values.add(isFloat ? (int) raw.getFloat() : (int) raw.getLong());
    }
    return response.getOutputs(0).getShapeList() + " " + values;
  }

  /** What a model answers to two rows of two, over both protocols the same. */
  private static String answer(LocalServer server, String model) {
    var contents = InferTensorContents.newBuilder().addAllFp32Contents(List.of(1f, 2f, 4f, 3f));
    String overGrpc =
        shownOverGrpc(
            server,
            model,
            InferInputTensor.newBuilder()
                .setName("IN")
                .setDatatype("FP32")
                .addAllShape(List.of(2L, 2L))
                .setContents(contents)
                .build());
    String overHttp =
        shownOverHttp(
            server,
            model,
            "{\"name\":\"IN\",\"datatype\":\"FP32\",\"shape\":[2,2],\"data\":[1,2,4,3]}");
    assertThat(overHttp).isEqualTo(overGrpc);
    return overHttp;
  }

  @Test
  void areServedInTheShapeThatTheyHaveAndLoggedOnce() throws Exception {
    for (String model : List.of("wrong_label", "wrong_rank", "wrong_targets")) {
      model(model, model, "");
    }
    try (var log = new LogCapture("io.nereid.engine.execution.output.WrongOutput");
        var server = new LocalServer(repository)) {
      for (int round = 0; round < 2; round++) {
        assertThat(answer(server, "wrong_label")).isEqualTo("[2] [1, 0]");
        assertThat(answer(server, "wrong_rank")).isEqualTo("[2, 1] [3, 7]");
        assertThat(answer(server, "wrong_targets")).isEqualTo("[2, 2] [-1, -2, -4, -3]");
      }
      assertThat(log.messages())
          .containsExactly(
              "backend 'onnxruntime', model 'wrong_label', version 1, output 'OUT': shape [2] is"
                  + " served as it is, declared as [1]",
              "backend 'onnxruntime', model 'wrong_rank', version 1, output 'OUT': shape [2,1] is"
                  + " served as it is, declared as [-1]",
              "backend 'onnxruntime', model 'wrong_targets', version 1, output 'OUT': shape [2,2] is"
                  + " served as it is, declared as [-1,1]");
    }
  }

  private static String post(LocalServer server, String model, String inputs) {
    byte[] body = ("{\"inputs\":[" + inputs + "]}").getBytes(UTF_8);
    try (var wire = new HttpWire(server.http())) {
      return wire.send("POST", "/v2/models/" + model + "/infer", body, Map.of()).text();
    }
  }

  @Test
  void areCheckedWhereTheConfigurationSaysMoreThanTheFile() throws Exception {
    model("reshaped", "wrong_targets", RESHAPED);
    model("any_rank", "any_rank", ANY_RANK);
    String rows = "{\"name\":\"IN\",\"datatype\":\"FP32\",\"shape\":[2,2],\"data\":[1,2,4,3]}";
    String shape = ",{\"name\":\"SHAPE\",\"datatype\":\"INT64\",\"shape\":[%d],\"data\":%s}";
    try (var server = new LocalServer(repository)) {
      assertThat(post(server, "reshaped", rows))
          .contains("output 'OUT': shape [2,2], expected [2,1]");
      assertThat(shownOverHttp(server, "any_rank", rows + shape.formatted(2, "[4,1]")))
          .isEqualTo("[4, 1] [1, 2, 4, 3]");
      assertThat(post(server, "any_rank", rows + shape.formatted(1, "[4]")))
          .contains("output 'OUT': shape [4], expected [-1,-1]");
    }
  }
}
