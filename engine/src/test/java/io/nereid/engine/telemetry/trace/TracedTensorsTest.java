package io.nereid.engine.telemetry.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.engine.telemetry.trace.RequestTrace.TracedTensor;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How much of tensors is recorded. */
class TracedTensorsTest {
  private static RequestTrace trace(TraceLevel level, int maxElements) {
    var files = new TraceDestination.Files("file", 1, 1, maxElements);
    var settings = new TraceSettings(Set.of(level), 1, -1, 0, files);
    var tracer = new Tracer(settings, ClientSettings.SAFE, () -> 0, TraceSink.NONE);
    return Objects.requireNonNull(tracer.sample("m", "", (_, _) -> Optional.empty()));
  }

  private static Tensor strings(String... texts) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 12).order(ByteOrder.LITTLE_ENDIAN);
    for (String text : texts) {
      bytes.putInt(text.length()).put(text.getBytes(UTF_8));
    }
    return new Tensor(
        "T", DataType.BYTES, Shape.of(texts.length), MemorySegment.ofBuffer(bytes.flip()));
  }

  private static List<String> recorded(RequestTrace trace) {
    return trace.tensors().stream().map(TracedTensor::data).toList();
  }

  @Test
  void theFirstElementsAndOfAStringTheFirstThousandBytes() {
    try (RequestTrace trace = trace(TraceLevel.TENSORS, 2)) {
      trace.responded(List.of(strings("a", "b")));
      trace.responded(List.of(strings("a", "b", "c")));
      trace.responded(List.of(strings("x".repeat(1000), "y".repeat(1001))));

      assertThat(recorded(trace))
          .containsExactly(
              "\"a\",\"b\"",
              "\"a\",\"b\",...",
              "\"" + "x".repeat(1000) + "\",\"" + "y".repeat(1000) + "...\"");
    }
  }

  @Test
  void ofARequestAndItsStepsFourMillionCharacters() {
    try (RequestTrace trace = trace(TraceLevel.TENSORS, 1000)) {
      Tensor tensor = strings("x".repeat(1000));
      RequestTrace step = trace.child();
      for (int i = 0; i < 10_000; i++) {
        step.responded(List.of(tensor));
        trace.responded(List.of(tensor));
      }

      assertThat(trace.characters()).isBetween(4L << 20, (4L << 20) + 1004);
      assertThat(recorded(trace).size() + recorded(step).size()).isBetween(4_100, 4_200);
    }
  }

  @Test
  void ofTheActivitiesOfABackendTheFirstFourThousand() {
    try (RequestTrace trace = trace(TraceLevel.TIMESTAMPS, 0)) {
      for (int i = 0; i < 10_000; i++) {
        trace.activity("a", 0);
      }
      trace.mark(TracePoint.HTTP_SEND_END);

      assertThat(trace.timestamps()).hasSize(RequestTrace.MAX_TIMESTAMPS + 1);
    }
  }
}
