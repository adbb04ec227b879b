package io.nereid.server.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferRequest.InferInputTensor;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.protocol.inference.RepositoryModelLoadRequest;
import io.nereid.server.LocalServer;
import io.nereid.tck.echo.PipelinedEchoBackend;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with a model of {@link PipelinedEchoBackend}. */
@Timeout(120)
class PipelinedServerTest {
  private static final int REQUESTS = 2_000;

  private static final String CONFIG =
      """
      backend: "tck_pipelined_echo"
      max_batch_size: 8
      input { name: "IN" data_type: TYPE_INT64 dims: [ 1 ] }
      output { name: "OUT" data_type: TYPE_INT64 dims: [ 1 ] }
      dynamic_batching { }
      instance_group { kind: KIND_CPU count: 2 }
      """;

  @TempDir private Path repository;

  private static ModelInferRequest request(long value) {
    var input = InferInputTensor.newBuilder().setName("IN").setDatatype("INT64");
    return ModelInferRequest.newBuilder()
        .setModelName("m")
        .addInputs(input.addAllShape(List.of(1L, 1L)))
        .addRawInputContents(ByteString.copyFrom(bytes(value)))
        .build();
  }

  private static byte[] bytes(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }

  @Test
  void eachRequestGetsItsOwnRowWhileItsModelIsLoadedAgain() throws Exception {
    ModelOnDisk.of(repository, "m", CONFIG);
    var options =
        LocalServer.options(repository, "--model-control-mode=explicit", "--load-model=m");
    try (var server = new LocalServer(options, new CheckedBufferPool())) {
      var stub = GRPCInferenceServiceGrpc.newFutureStub(server.channel());
      List<Future<ModelInferResponse>> responses = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        responses.add(stub.modelInfer(request(i)));
        if (i == REQUESTS / 2) {
          ModelOnDisk.of(repository, "m", CONFIG.replace("max_batch_size: 8", "max_batch_size: 4"));
          var _ =
              GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
                  .repositoryModelLoad(
                      RepositoryModelLoadRequest.newBuilder().setModelName("m").build());
        }
      }
      for (int i = 0; i < REQUESTS; i++) {
        ModelInferResponse response = responses.get(i).get(60, TimeUnit.SECONDS);
        assertThat(response.getRawOutputContents(0).toByteArray()).isEqualTo(bytes(i));
      }
    }
  }
}
