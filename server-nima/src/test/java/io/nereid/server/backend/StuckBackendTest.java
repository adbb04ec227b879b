package io.nereid.server.backend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.engine.testing.LogCapture;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.RepositoryModelUnloadRequest;
import io.nereid.server.LocalServer;
import io.nereid.tck.gate.Gate;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A backend that does not return from an execution. */
@Timeout(120)
class StuckBackendTest {
  private static final String CONFIG =
      """
      backend: "gate"
      input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      instance_group { count: 1 kind: KIND_CPU }
      """;

  @TempDir private Path repository;

  private static ModelInferRequest request() {
    return ModelInferRequest.newBuilder()
        .setModelName("stuck")
        .addInputs(
            ModelInferRequest.InferInputTensor.newBuilder()
                .setName("IN0")
                .setDatatype("UINT8")
                .addShape(1))
        .addRawInputContents(ByteString.copyFrom(new byte[1]))
        .build();
  }

  @Test
  void anUnloadThatWaitsForItSaysSo() throws Exception {
    ModelOnDisk.of(repository, "stuck", CONFIG);
    var options =
        LocalServer.options(repository, "--model-control-mode=explicit", "--load-model=stuck");
    try (var log = new LogCapture(LoadedModel.class.getName());
        var server = new LocalServer(options, new CheckedBufferPool());
        AutoCloseable _ = () -> Gate.of("stuck").tearDown()) {
      var running = GRPCInferenceServiceGrpc.newFutureStub(server.channel()).modelInfer(request());
      Gate.of("stuck").awaitBegun(1);
      var _ =
          GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
              .repositoryModelUnload(
                  RepositoryModelUnloadRequest.newBuilder().setModelName("stuck").build());

      while (log.messages().isEmpty()) { // until the timeout
        Thread.sleep(1);
      }
      assertThat(log.messages().getFirst())
          .isEqualTo(
              "stuck:1 is not closed yet: 1 of its requests have not ended, backend 'gate' has not"
                  + " returned from [stuck_0_0]");
      Gate.of("stuck").openAll();
      assertThat(running).succeedsWithin(60, TimeUnit.SECONDS);
    } finally {
      Gate.forget("stuck");
    }
  }
}
