package io.nereid.server.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.backend.BackendFolder;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.LocalServer;
import io.nereid.server.options.ServerOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The context class loader of the threads that call a backend. */
class BackendClassLoaderTest {
  private static final String CALLS = "nereid.test.backend-calls";

  /** A backend that notes each of its methods, and whether the context class loader is its own. */
  private static final String SOURCE =
      """
      package made;

      import io.nereid.config.*;
      import io.nereid.spi.*;
      import java.util.Optional;

      public final class Recorder implements BackendProvider, Backend, Model, ModelInstance {
        private final String name;

        public Recorder() { this("provider"); }

        private Recorder(String name) { this.name = name; note("new"); }

        private void note(String method) {
          boolean own =
              Thread.currentThread().getContextClassLoader() == Recorder.class.getClassLoader();
          synchronized (Recorder.class) {
            System.setProperty("nereid.test.backend-calls",
                System.getProperty("nereid.test.backend-calls", "")
                    + name + "." + method + (own ? "" : " WITH ANOTHER LOADER") + "\\n");
          }
        }

        @Override public String name() { note("name"); return "recorder"; }
        @Override public Backend open(BackendContext context) {
          note("open");
          return new Recorder("backend");
        }
        @Override public ModelConfig complete(ModelFiles files, ModelConfig config) {
          note("complete");
          return config;
        }
        @Override public int defaultInstanceCount(InstanceSettings.Kind kind) {
          note("defaultInstanceCount");
          return 1;
        }
        @Override public Model load(ModelFiles files, ModelConfig config) {
          note("load");
          return new Recorder("model");
        }
        @Override public ModelInstance open(InstanceSettings settings) {
          note("open");
          return new Recorder("instance");
        }
        @Override public Optional<HostAllocator> inputAllocator() {
          note("inputAllocator");
          return Optional.empty();
        }
        @Override public Optional<BatchingStrategy> batchingStrategy() {
          note("batchingStrategy");
          return Optional.empty();
        }
        @Override public void execute(Batch batch, Results results) { note("execute"); }
        @Override public void close() { note("close"); }
      }
      """;

  private static final String CONFIG =
      """
      backend: "recorder"
      max_batch_size: 4
      input { name: "IN" data_type: TYPE_FP32 dims: [ 1 ] }
      output { name: "OUT" data_type: TYPE_FP32 dims: [ 1 ] }
      dynamic_batching { }
      """;

  @TempDir private Path directory;

  @AfterEach
  void clear() {
    System.clearProperty(CALLS);
  }

  @Test
  void everyCallOfABackendHasItsClassLoader() throws Exception {
    ModelOnDisk.of(directory.resolve("models"), "m", CONFIG);
    Path backends = directory.resolve("backends");
    BackendFolder.of(backends, "recorder").withProviderClass("Recorder", SOURCE);
    ServerOptions options =
        LocalServer.options(directory.resolve("models"), "--backend-directory=" + backends);
    ClassLoader before = Thread.currentThread().getContextClassLoader();

    try (var server = new LocalServer(options, new CheckedBufferPool())) {
      infer(server);
    }

    assertThat(System.getProperty(CALLS).lines())
        .contains(
            "provider.new",
            "provider.name",
            "provider.open",
            "backend.complete",
            "backend.defaultInstanceCount",
            "backend.load",
            "model.inputAllocator",
            "model.batchingStrategy",
            "model.open",
            "instance.new",
            "instance.execute",
            "instance.close",
            "model.close",
            "backend.close")
        .noneMatch(call -> call.contains("ANOTHER"));
    assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
  }

  private static void infer(LocalServer server) {
    var request =
        ModelInferRequest.newBuilder()
            .setModelName("m")
            .addInputs(
                ModelInferRequest.InferInputTensor.newBuilder()
                    .setName("IN")
                    .setDatatype("FP32")
                    .addShape(1)
                    .addShape(1))
            .addRawInputContents(com.google.protobuf.ByteString.copyFrom(new byte[4]))
            .build();
    var _ = GRPCInferenceServiceGrpc.newBlockingStub(server.channel()).modelInfer(request);
  }
}
