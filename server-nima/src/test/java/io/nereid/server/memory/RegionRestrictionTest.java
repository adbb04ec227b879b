package io.nereid.server.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferRequest.InferInputTensor;
import io.nereid.protocol.inference.ModelInferRequest.InferRequestedOutputTensor;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.protocol.inference.ModelStreamInferResponse;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that name regions, where the shared memory protocol needs a header. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RegionRestrictionTest {
  private static final String INPUT =
      "{\"name\":\"INPUT0\",\"shape\":[1],\"datatype\":\"UINT8\",%s}";
  private static final String REGION =
      "\"parameters\":{\"shared_memory_region\":\"r\",\"shared_memory_byte_size\":1}";
  private static final String UNKNOWN = "Unable to find shared memory region: 'r'";

  private LocalServer server;

  @BeforeAll
  void start(@TempDir Path repository) throws IOException {
    ModelOnDisk.of(
            repository,
            "echo",
            """
            backend: "tck_echo"
            input { name: "INPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
            output { name: "OUTPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
            """)
        .withDirectory("1");
    server =
        new LocalServer(
            LocalServer.options(
                repository,
                "--http-restricted-api=shared-memory:shm-key=8",
                "--grpc-restricted-protocol=shared-memory:shm-key=8"),
            new CheckedBufferPool());
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private HttpWire.Response infer(String body, Map<String, String> headers) {
    try (var wire = new HttpWire(server.http())) {
      return wire.send("POST", "/v2/models/echo/infer", body.getBytes(UTF_8), headers);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRequestOverHttpThatNamesARegionNeedsTheHeader(boolean isInput) {
    String body =
        isInput
            ? "{\"inputs\":[" + INPUT.formatted(REGION) + "]}"
            : "{\"inputs\":[%s],\"outputs\":[{\"name\":\"OUTPUT0\",%s}]}"
                .formatted(INPUT.formatted("\"data\":[1]"), REGION);

    HttpWire.Response without = infer(body, Map.of());
    HttpWire.Response with = infer(body, Map.of("shm-key", "8"));

    assertThat(without.text())
        .isEqualTo("{\"error\":\"This API is restricted, expecting header 'shm-key'\"}");
    assertThat(without.status()).isEqualTo(403);
    assertThat(with.text()).contains(UNKNOWN);
    assertThat(infer(body, Map.of("shm-key", "9")).status()).isEqualTo(403);
  }

  @Test
  void otherRequestsNeedNoHeader() {
    HttpWire.Response response =
        infer("{\"inputs\":[" + INPUT.formatted("\"data\":[1]") + "]}", Map.of());

    assertThat(response.status()).as(response.text()).isEqualTo(200);
    assertThat(modelInfer(false, request(false, false)).getModelName()).isEqualTo("echo");
  }

  private static ModelInferRequest request(boolean inputInRegion, boolean outputInRegion) {
    var region = InferParameter.newBuilder().setStringParam("r").build();
    var byteSize = InferParameter.newBuilder().setInt64Param(1).build();
    var input = InferInputTensor.newBuilder().setName("INPUT0").setDatatype("UINT8").addShape(1);
    var request = ModelInferRequest.newBuilder().setModelName("echo");
    if (inputInRegion) {
      input.putParameters("shared_memory_region", region);
      input.putParameters("shared_memory_byte_size", byteSize);
    } else {
      request.addRawInputContents(ByteString.copyFrom(new byte[1]));
    }
    if (outputInRegion) {
      request.addOutputs(
          InferRequestedOutputTensor.newBuilder()
              .setName("OUTPUT0")
              .putParameters("shared_memory_region", region)
              .putParameters("shared_memory_byte_size", byteSize));
    }
    return request.addInputs(input).build();
  }

  private ModelInferResponse modelInfer(boolean withHeader, ModelInferRequest request) {
    return ClientCalls.blockingUnaryCall(
        channel(withHeader),
        GRPCInferenceServiceGrpc.getModelInferMethod(),
        CallOptions.DEFAULT,
        request);
  }

  /** A request in a stream; returns how it has failed. */
  private String modelStreamInfer(boolean withHeader, ModelInferRequest request) {
    Iterator<ModelStreamInferResponse> responses =
        ClientCalls.blockingServerStreamingCall(
            channel(withHeader),
            GRPCInferenceServiceGrpc.getModelStreamInferMethod(),
            CallOptions.DEFAULT,
            request);
    return responses.next().getErrorMessage();
  }

  private Channel channel(boolean withHeader) {
    var headers = new Metadata();
    if (withHeader) {
      headers.put(
          Metadata.Key.of("triton-grpc-protocol-shm-key", Metadata.ASCII_STRING_MARSHALLER), "8");
    }
    return ClientInterceptors.intercept(
        server.channel(), MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRequestOverGrpcThatNamesARegionNeedsTheHeader(boolean isInput) {
    ModelInferRequest request = request(isInput, !isInput);

    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> modelInfer(false, request))
        .satisfies(thrown -> {
          assertThat(thrown.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
          assertThat(thrown.getStatus().getDescription())
              .isEqualTo(
                  "This protocol is restricted, expecting header 'triton-grpc-protocol-shm-key'");
        });
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> modelInfer(true, request))
        .withMessageContaining(UNKNOWN);
    assertThat(modelStreamInfer(false, request))
        .contains("expecting header 'triton-grpc-protocol-shm-key'");
    assertThat(modelStreamInfer(true, request)).contains(UNKNOWN);
  }
}
