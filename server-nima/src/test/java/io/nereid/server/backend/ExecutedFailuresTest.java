package io.nereid.server.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.nereid.client.DataType;
import io.nereid.client.ErrorCode;
import io.nereid.client.GenerateRequest;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.Tensor;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.error.InferenceException;
import io.nereid.server.LocalServer;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.gate.Reply;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A request that has run and failed is not to be sent again. */
@Timeout(60)
class ExecutedFailuresTest {
  private static final String MODEL = "executed";

  @TempDir private Path models;
  private LocalServer server;

  @BeforeEach
  void start() throws IOException {
    String tensors =
        """
        input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
        output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
        """;
    ModelOnDisk.of(models, MODEL, "backend: \"gate\"\n" + tensors);
    ModelOnDisk.of(
        models,
        "steps",
        "platform: \"ensemble\"\n"
            + tensors
            + """
            ensemble_scheduling {
              step {
                model_name: "executed" model_version: -1
                input_map { key: "IN0" value: "IN0" } output_map { key: "OUT0" value: "OUT0" }
              }
            }
            """);
    server = new LocalServer(models);
    Gate.of(MODEL).openAll();
    Gate.of(MODEL).reply("1", Reply.failure(InferenceException.exhausted("no room in the model")));
  }

  @AfterEach
  void stop() {
    Gate.of(MODEL).tearDown();
    server.close();
    Gate.forget(MODEL);
  }

  private String address(String scheme) {
    return scheme.equals("grpc")
        ? "grpc://127.0.0.1:" + server.grpcPort()
        : server.http().toString();
  }

  private static void assertHasRun(NereidException failure) {
    assertThat(failure).hasMessageContaining("no room in the model");
    assertThat(failure.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
    assertThat(failure.retryAfter()).isEmpty();
    assertThat(failure.mayHaveRun()).isTrue();
    assertThat(Gate.of(MODEL).executions()).as("executions").hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"http, executed", "grpc, executed", "http, steps", "grpc, steps"})
  void aModelsOwnLackOfSomethingIsNoTimeToComeAgain(String scheme, String model) {
    InferRequest request =
        InferRequest.to(model)
            .id("1")
            .input("IN0", Tensor.of(DataType.UINT8, new byte[] {1}))
            .build();
    try (NereidClient client = NereidClient.connect(address(scheme))) {
      assertHasRun(catchThrowableOfType(NereidException.class, () -> client.infer(request)));
    }
  }

  @Test
  void norIsItOfARequestWithPlainValues() {
    GenerateRequest request =
        GenerateRequest.to(MODEL).with("id", "1").with("IN0", List.of(1)).build();
    try (NereidClient client = NereidClient.connect(address("http"))) {
      assertHasRun(catchThrowableOfType(NereidException.class, () -> client.generate(request)));
    }
  }
}
