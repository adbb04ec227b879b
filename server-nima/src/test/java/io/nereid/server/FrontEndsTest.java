package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.engine.Engine;
import io.nereid.engine.EngineParts;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.model.control.FakeModelControl;
import io.nereid.engine.testing.LogCapture;
import io.nereid.server.frontend.TestServices;
import io.nereid.server.options.ParsedOptions;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FrontEndsTest {
  private final FrontEnds frontEnds =
      new FrontEnds(
          ParsedOptions.of(
              "--model-repository=unused",
              "--http-port=0",
              "--grpc-port=0",
              "--metrics-port=0",
              "--allow-gpu-metrics=false"));

  @TempDir Path repository;
  private EngineParts engine;

  @BeforeEach
  void open() throws IOException {
    engine =
        new EngineParts(
            Engine.builder().repository(repository).settings(),
            new CheckedBufferPool(),
            () -> true);
  }

  private void prepare() throws IOException {
    frontEnds.prepare(
        TestServices.of(
            new FakeModelControl(),
            engine.pool(),
            new RequestMemory(Long.MAX_VALUE, Long.MAX_VALUE)),
        engine);
  }

  @Test
  void listenersAreMadeBeforeTheyListen() throws IOException {
    try (var log = new LogCapture(FrontEnds.class.getName())) {
      prepare();
      assertThat(log.messages()).isEmpty();
      assertThat(frontEnds.areWorking()).isFalse();

      frontEnds.listen();
      assertThat(frontEnds.areWorking()).isTrue();
      assertThat(log.messages())
          .containsExactly(
              "Started GRPCInferenceService at 0.0.0.0:" + frontEnds.port("grpc"),
              "Started HTTPService at 0.0.0.0:" + frontEnds.port("http"),
              "Started Metrics Service at 0.0.0.0:" + frontEnds.port("metrics"));
    }
    stop();
  }

  @Test
  void aServerThatStopsWhileItStartsDoesNotListen() throws IOException {
    prepare();
    try (var log = new LogCapture(FrontEnds.class.getName())) {
      frontEnds.refuseConnections();
      frontEnds.listen();

      assertThat(log.messages()).isEmpty();
    }
    stop();
  }

  @Test
  void aServerThatStopsBeforeItsFrontEndsAreMadeMakesNone() throws IOException {
    frontEnds.refuseConnections();
    prepare();

    assertThatIllegalStateException()
        .isThrownBy(() -> frontEnds.port("http"))
        .withMessage("http is not served");
    stop();
  }

  private void stop() {
    assertThat(frontEnds.stop(System.nanoTime())).isTrue();
    frontEnds.close();
    engine.close();
  }
}
