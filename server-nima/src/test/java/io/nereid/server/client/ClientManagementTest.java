package io.nereid.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.client.DataType;
import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.RequestedOutput;
import io.nereid.client.SharedRegion;
import io.nereid.client.Tensor;
import io.nereid.client.model.IndexEntry;
import io.nereid.client.model.ModelMetadata;
import io.nereid.client.model.ModelStatistics;
import io.nereid.client.model.RegisteredRegion;
import io.nereid.client.model.TensorMetadata;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.server.LocalServer;
import io.nereid.tck.TckModels;
import io.nereid.tck.support.Polling;
import io.nereid.tck.support.SharedMemoryObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All calls of the client but inferences, over both transports. */
@Timeout(60)
class ClientManagementTest {
  private static LocalServer server;

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    TckModels.extractTo(models);
    Files.createDirectories(models.resolve("broken/1"));
    Files.writeString(models.resolve("broken/config.pbtxt"), "backend: \"no_such_backend\"");
    server =
        new LocalServer(
            LocalServer.options(
                models,
                "--model-control-mode=explicit",
                "--load-model=simple",
                "--load-model=two_versions",
                "--load-model=identity_int32",
                "--allow-client-shm=true",
                "--trace-config=triton,file=" + models.resolve("trace.json")),
            new CheckedBufferPool());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static NereidClient open(String scheme) {
    return NereidClient.connect(
        scheme.equals("grpc") ? "grpc://127.0.0.1:" + server.grpcPort() : server.http().toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void theServerIsLiveAndReady(String scheme) {
    try (NereidClient client = open(scheme)) {
      assertThat(client.server().isLive()).isTrue();
      assertThat(client.server().isReady()).isTrue();
      assertThat(client.models().isReady("simple")).isTrue();
      assertThat(client.models().isReady("two_versions", "3")).isTrue();
      assertThat(client.models().isReady("two_versions", "2")).isFalse();
      assertThat(client.models().isReady("no_such")).isFalse();
      assertThat(client.server().metadata().name()).isEqualTo("nereid");
      assertThat(client.server().metadata().extensions()).contains("binary_tensor_data");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://127.0.0.1:1", "grpc://127.0.0.1:1"})
  void aServerThatIsNotThereIsNeitherLiveNorReady(String address) {
    try (NereidClient client = NereidClient.connect(address)) {
      assertThat(client.server().isLive()).isFalse();
      assertThat(client.server().isReady()).isFalse();
      assertThat(client.models().isReady("simple")).isFalse();
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> client.server().metadata())
          .returns(ErrorCode.UNAVAILABLE, NereidException::code);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void modelsSayWhatTheyTakeAndGive(String scheme) {
    try (NereidClient client = open(scheme)) {
      ModelMetadata simple = client.models().metadata("simple");

      assertThat(simple.name()).isEqualTo("simple");
      assertThat(simple.versions()).containsExactly("1");
      assertThat(simple.inputs())
          .containsExactly(
              new TensorMetadata("INPUT0", "INT32", List.of(-1L, 16L)),
              new TensorMetadata("INPUT1", "INT32", List.of(-1L, 16L)));
      assertThat(client.models().metadata("two_versions").versions()).containsExactly("1", "3");
      assertThat(client.models().metadata("two_versions", "3").versions()).containsExactly("3");
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> client.models().metadata("no_such"))
          .returns(ErrorCode.NOT_FOUND, NereidException::code)
          .withMessageContaining("metadata of model 'no_such' at ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void configurationsAreTreesOfTheirMembers(String scheme) {
    try (NereidClient client = open(scheme)) {
      Map<String, Object> config = client.models().config("simple");

      assertThat(config).containsEntry("name", "simple").containsEntry("max_batch_size", 8L);
      assertThat(config.get("input"))
          .asInstanceOf(InstanceOfAssertFactories.list(Map.class))
          .first()
          .satisfies(input -> {
            assertThat(input.get("data_type")).isEqualTo("TYPE_INT32");
            assertThat(input.get("dims")).isEqualTo(List.of(16L));
          });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void statisticsCountRequests(String scheme) {
    try (NereidClient client = open(scheme)) {
      ModelStatistics before = client.models().statistics("identity_int32").get(0);
      client.infer(
          InferRequest.to("identity_int32").input("INPUT0", Tensor.of(new int[] {1})).build());
      // a request is counted once it is answered
      ModelStatistics after =
          Polling.await(
              () -> client.models().statistics("identity_int32", "1").get(0),
              now -> now.requests().success().count() > before.requests().success().count());

      assertThat(after.name()).isEqualTo("identity_int32");
      assertThat(after.version()).isEqualTo("1");
      assertThat(after.inferenceCount()).isEqualTo(before.inferenceCount() + 1);
      assertThat(after.executionCount()).isEqualTo(before.executionCount() + 1);
      assertThat(after.requests().success().count())
          .isEqualTo(before.requests().success().count() + 1);
      assertThat(after.requests().success().mean()).isPositive();
      assertThat(after.lastInference()).isAfter(before.lastInference());
      assertThat(after.batches()).singleElement().returns(1L, ModelStatistics.Batches::batchSize);
      assertThat(client.models().statistics())
          .extracting(ModelStatistics::name)
          .contains("simple", "identity_int32", "two_versions");
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> client.models().statistics("no_such"))
          .returns(ErrorCode.NOT_FOUND, NereidException::code);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void modelsAreLoadedAndUnloaded(String scheme) {
    try (NereidClient client = open(scheme)) {
      client.models().load("identity_fp32");
      assertThat(client.models().isReady("identity_fp32")).isTrue();
      assertThat(client.models().index())
          .contains(
              new IndexEntry("identity_fp32", "1", "READY", ""),
              new IndexEntry("identity_fp64", "", "", ""));
      assertThat(client.models().indexAsync(true).join())
          .allMatch(IndexEntry::isReady)
          .extracting(IndexEntry::name)
          .contains("identity_fp32");

      client.models().unload("identity_fp32");
      while (client.models().isReady("identity_fp32")) {
        Thread.onSpinWait();
      }
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> client.models().load("broken"))
          .withMessageContaining("load of model 'broken' at ")
          .withMessageContaining("no_such_backend");
      client.models().unload("broken");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void aLoadCanBringItsConfigurationAndFiles(String scheme) {
    String config =
        """
        {"backend":"tck_echo","max_batch_size":2,
         "input":[{"name":"INPUT0","data_type":"TYPE_UINT8","dims":[1]}],
         "output":[{"name":"OUTPUT0","data_type":"TYPE_UINT8","dims":[1]}]}
        """;
    try (NereidClient client = open(scheme)) {
      client.models().load("identity_bool", config, Map.of("2/file", new byte[] {1}));

      assertThat(client.models().metadata("identity_bool").versions()).containsExactly("2");
      assertThat(client.models().config("identity_bool")).containsEntry("max_batch_size", 2L);
      client.models().unloadAsync("identity_bool", true).join();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void settingsOfTracesAreChangedAndGoBack(String scheme) {
    try (NereidClient client = open(scheme)) {
      Map<String, List<String>> before = client.server().traceSettings();
      assertThat(before).containsEntry("trace_level", List.of("OFF"));

      assertThat(
              client
                  .models()
                  .updateTraceSettings(
                      "simple",
                      Map.of("trace_rate", List.of("7"), "trace_level", List.of("TIMESTAMPS"))))
          .containsEntry("trace_rate", List.of("7"))
          .containsEntry("trace_level", List.of("TIMESTAMPS"));
      assertThat(client.models().traceSettings("simple")).containsEntry("trace_rate", List.of("7"));
      assertThat(
              client
                  .models()
                  .updateTraceSettings(
                      "simple", Map.of("trace_rate", List.of(), "trace_level", List.of())))
          .isEqualTo(before);
      assertThat(client.server().updateTraceSettings(Map.of("trace_count", List.of("5"))))
          .containsEntry("trace_count", List.of("5"));
      client.server().updateTraceSettings(Map.of("trace_count", List.of()));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void settingsOfTheLogAreChanged(String scheme) {
    try (NereidClient client = open(scheme)) {
      assertThat(client.server().logSettings())
          .containsEntry("log_info", true)
          .containsEntry("log_verbose_level", 0L)
          .containsEntry("log_format", "default");
      assertThat(client.server().updateLogSettings(Map.of("log_verbose_level", 1)))
          .containsEntry("log_verbose_level", 1L);
      client.server().updateLogSettings(Map.of("log_verbose_level", 0L));
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> client.server().updateLogSettings(Map.of("log_file", "x")))
          .returns(ErrorCode.UNIMPLEMENTED, NereidException::code);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void tensorsStayInSharedMemory(String scheme) {
    Assumptions.assumeTrue(SharedMemoryObject.isSupported());
    try (NereidClient client = open(scheme);
        SharedMemoryObject memory =
            SharedMemoryObject.of(new byte[] {1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})) {
      client.regions().registerSystem("io", memory.key(), 0, 16);
      assertThat(client.regions().system())
          .containsExactly(new RegisteredRegion("io", memory.key(), 0, 0, 16));

      Tensor output =
          client
              .infer(
                  InferRequest.to("identity_int32")
                      .input(
                          "INPUT0",
                          Tensor.ofRegion(new SharedRegion("io", 0, 8), DataType.INT32, 2))
                      .output(new RequestedOutput("OUTPUT0", 0, new SharedRegion("io", 8, 8)))
                      .build())
              .output("OUTPUT0");

      assertThat(output.region()).isEqualTo(new SharedRegion("io", 8, 8));
      assertThat(output.shape()).containsExactly(2);
      assertThat(memory.read(8, 8)).containsExactly(1, 0, 0, 0, 2, 0, 0, 0);
      client.regions().unregisterSystem("io");
      assertThat(client.regions().system()).isEmpty();
      assertThat(client.regions().cuda()).isEmpty();
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> client.regions().registerCuda("gpu", new byte[64], 0, 16))
          .withMessageContaining("registration of CUDA region 'gpu'");
    }
  }
}
