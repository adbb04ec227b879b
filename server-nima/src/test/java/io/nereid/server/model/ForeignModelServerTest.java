package io.nereid.server.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.grpc.StatusRuntimeException;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelRepositoryParameter;
import io.nereid.protocol.inference.RepositoryModelLoadRequest;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that may load models, and sends one. */
class ForeignModelServerTest {
  private static final String TENSORS =
      """
      "backend": "onnxruntime", "max_batch_size": 0, \
      "input": [{"name": "IN", "data_type": "TYPE_STRING", "dims": [-1]}], \
      "output": [{"name": "OUT", "data_type": "TYPE_STRING", "dims": [-1]}], \
      "instance_group": [{"kind": "KIND_CPU", "count": 1}]\
      """;

  private static final Path IDENTITY =
      Path.of("..", "backend-onnx", "src", "test", "resources", "models", "identity_bytes.onnx");

  @TempDir private Path folder = Path.of("");
  private LocalServer server;
  private byte[] model;

  @BeforeEach
  void start() throws IOException {
    model = Files.readAllBytes(IDENTITY);
    Path repository = Files.createDirectory(folder.resolve("repository"));
    ModelOnDisk.of(repository, "broken", "backend: 'onnxruntime'")
        .withFile("1/model.onnx", "no model");
    server =
        new LocalServer(
            LocalServer.options(
                repository,
                "--model-control-mode=explicit",
                "--max-string-elements=3",
                "--backend-config=onnxruntime,allowed-parameters=session.enable_profiling",
                "--backend-config=onnxruntime,custom-operators=true"),
            new CheckedBufferPool());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpWire.Response post(String path, String body) {
    try (var wire = new HttpWire(server.http())) {
      return wire.send("POST", path, body.getBytes(UTF_8), Map.of());
    }
  }

  @Test
  void theIndexSaysWhichAcceleratorIsLeftOut() throws IOException {
    String accelerator =
        """
        backend: 'onnxruntime'
        optimization { execution_accelerators { cpu_execution_accelerator { name: 'openvino' } } }
        """;
    Path directory =
        ModelOnDisk.of(folder.resolve("repository"), "m", accelerator)
            .withFile("1/model.onnx", "")
            .path();
    Files.write(directory.resolve("1/model.onnx"), model);

    assertThat(post("/v2/repository/models/m/load", "").status()).isEqualTo(200);
    assertThat(post("/v2/repository/index", "{\"ready\": true}").text())
        .contains(
            "\"state\":\"READY\"", "model 'm' runs without the execution accelerator 'openvino': ");
  }

  /** Loads a model with that configuration and a file. */
  private HttpWire.Response load(String config, byte[] content) {
    return post(
        "/v2/repository/models/m/load",
        "{\"parameters\": {\"config\": \"%s\", \"file:1/model.onnx\": \"%s\"}}"
            .formatted(config.replace("\"", "\\\""), Base64.getEncoder().encodeToString(content)));
  }

  private static String with(String more) {
    return "{" + TENSORS + more + "}";
  }

  private Set<Path> everything() throws IOException {
    try (var all = Files.walk(folder)) {
      return Set.copyOf(all.toList());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ", \"parameters\": {\"session.optimized_model_filepath\": {\"string_value\": \"$/x\"}}",
        ", \"parameters\": {\"session.enable_profiling\": {\"string_value\": \"$/x\"}}",
        ", \"parameters\": {\"session.collect_node_memory_stats_to_file\": {\"string_value\": \"$/x\"}}",
        ", \"model_operations\": {\"op_library_filename\": [\"1/model.onnx\"]}",
      })
  void whatTheOperatorMayAllowIsRefusedToALoadRequest(String attack) throws IOException {
    assertThat(load(with(""), model).status()).isEqualTo(200);
    Set<Path> before = everything();

    HttpWire.Response refused = load(with(attack.replace("$", folder.toString())), model);

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.text()).contains("model 'm': ", "is refused in a load request");
    assertThat(everything()).isEqualTo(before);
  }

  @Test
  void failuresNameNoPathOfTheMachine() {
    String failed = load(with(""), "no model".getBytes(UTF_8)).text();
    String broken = post("/v2/repository/models/broken/load", "").text();
    String index = post("/v2/repository/index", "").text();
    var grpc =
        catchThrowableOfType(
            StatusRuntimeException.class,
            () ->
                GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
                    .repositoryModelLoad(
                        RepositoryModelLoadRequest.newBuilder()
                            .setModelName("m")
                            .putParameters(
                                "config",
                                ModelRepositoryParameter.newBuilder()
                                    .setStringParam(with(""))
                                    .build())
                            .putParameters(
                                "file:1/model.onnx",
                                ModelRepositoryParameter.newBuilder()
                                    .setBytesParam(ByteString.copyFromUtf8("no model"))
                                    .build())
                            .build()));

    assertThat(failed).contains("from '1/model.onnx'");
    assertThat(grpc).hasMessageContaining("from '1/model.onnx'");
    for (String text : new String[] {failed, broken, index, String.valueOf(grpc.getMessage())}) {
      assertThat(text)
          .doesNotContain(
              folder.toString(), System.getProperty("java.io.tmpdir", "/tmp"), "nereid-model-")
          .doesNotContain("onnxruntime_src");
    }
  }

  @ParameterizedTest
  @CsvSource({"3, 200", "4, 400"})
  void anInputOfStringsHasALimitOfElements(int count, int status) {
    assertThat(load(with(""), model).status()).isEqualTo(200);
    String data = "\"a\",".repeat(count);

    HttpWire.Response response =
        post(
            "/v2/models/m/infer",
            "{\"inputs\": [{\"name\": \"IN\", \"shape\": [%d], \"datatype\": \"BYTES\", \"data\": [%s]}]}"
                .formatted(count, data.substring(0, data.length() - 1)));

    assertThat(response.status()).as(response.text()).isEqualTo(status);
  }
}
