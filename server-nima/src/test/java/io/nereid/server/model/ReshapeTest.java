package io.nereid.server.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelMetadataRequest;
import io.nereid.protocol.inference.ModelMetadataResponse.TensorMetadata;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A model that sees the first input, and returns the second output, in another shape than clients.
 * Sources: Triton, Reshape, of the model configuration.
 */
@Timeout(60)
class ReshapeTest {
  private LocalServer server;

  @BeforeEach
  void start(@TempDir Path repository) throws IOException {
    ModelOnDisk.of(
        repository,
        "m",
        """
        backend: "tck_echo"
        max_batch_size: 2
        input { name: "INPUT0" data_type: TYPE_UINT8 dims: [ 4 ] reshape { shape: [ 2, 2 ] } }
        input { name: "INPUT1" data_type: TYPE_UINT8 dims: [ 2, 2 ] }
        output { name: "OUTPUT0" data_type: TYPE_UINT8 dims: [ 2, 2 ] }
        output { name: "OUTPUT1" data_type: TYPE_UINT8 dims: [ 4 ] reshape { shape: [ 2, 2 ] } }
        """);
    server = new LocalServer(repository);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String request(String shape) {
    return """
    {"inputs":[{"name":"INPUT0","datatype":"UINT8","shape":%s,"data":[1,2,3,4]},
               {"name":"INPUT1","datatype":"UINT8","shape":[1,2,2],"data":[5,6,7,8]}]}
    """
        .formatted(shape);
  }

  private static String shape(Object response, String output) {
    return Json.member(LocalServer.output(response, output), "shape").toString();
  }

  @Test
  void theMetadataHaveTheShapesOfClients() {
    try (var wire = new HttpWire(server.http())) {
      assertThat(wire.send("GET", "/v2/models/m", new byte[0], Map.of()).text())
          .isEqualTo(
              "{\"name\":\"m\",\"versions\":[\"1\"],\"platform\":\"tck_echo\",\"inputs\":["
                  + "{\"name\":\"INPUT0\",\"datatype\":\"UINT8\",\"shape\":[-1,4]},"
                  + "{\"name\":\"INPUT1\",\"datatype\":\"UINT8\",\"shape\":[-1,2,2]}],\"outputs\":["
                  + "{\"name\":\"OUTPUT0\",\"datatype\":\"UINT8\",\"shape\":[-1,2,2]},"
                  + "{\"name\":\"OUTPUT1\",\"datatype\":\"UINT8\",\"shape\":[-1,4]}]}");
    }
    var metadata =
        GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
            .modelMetadata(ModelMetadataRequest.newBuilder().setName("m").build());
    assertThat(metadata.getPlatform()).isEqualTo("tck_echo");
    assertThat(metadata.getInputsList())
        .extracting(TensorMetadata::getShapeList)
        .containsExactly(List.of(-1L, 4L), List.of(-1L, 2L, 2L));
    assertThat(metadata.getOutputsList())
        .extracting(TensorMetadata::getShapeList)
        .containsExactly(List.of(-1L, 2L, 2L), List.of(-1L, 4L));
  }

  @Test
  void clientsSendAndReceiveTheirShapes() {
    Object response = server.infer("m", request("[1,4]"));

    assertThat(shape(response, "OUTPUT0")).isEqualTo("[1, 2, 2]");
    assertThat(shape(response, "OUTPUT1")).isEqualTo("[1, 4]");
  }

  @Test
  void theShapeThatTheModelSeesIsRejected() {
    try (var wire = new HttpWire(server.http())) {
      HttpWire.Response response =
          wire.send("POST", "/v2/models/m/infer", request("[1,2,2]").getBytes(UTF_8), Map.of());

      assertThat(response.status()).isEqualTo(400);
      assertThat(response.text())
          .contains(
              "unexpected shape for input 'INPUT0' for model 'm'. Expected [-1,4], got [1,2,2]. ");
    }
  }
}
