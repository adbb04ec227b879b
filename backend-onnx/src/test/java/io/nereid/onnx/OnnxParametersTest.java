package io.nereid.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class OnnxParametersTest {
  private static Map<String, String> entries(Map<String, String> parameters) {
    return OnnxParameters.of(TestModels.withParameters(TestModels.bare("simple"), parameters))
        .sessionEntries();
  }

  @Test
  void threadsOfASessionSpinForAMillisecondUnlessTheModelStatesAnotherTime() {
    assertThat(entries(Map.of()))
        .isEqualTo(
            Map.of(
                "session.intra_op.spin_duration_us", "1000",
                "session.inter_op.spin_duration_us", "1000"));
    assertThat(entries(Map.of("session.intra_op.spin_duration_us", "-1")))
        .containsEntry("session.intra_op.spin_duration_us", "-1");
  }

  @Test
  void onlyParametersOfSessionsArePassedOn() {
    assertThat(entries(Map.of("session.use_env_allocators", "1", "max_queue", "7")))
        .containsEntry("session.use_env_allocators", "1")
        .doesNotContainKey("max_queue");
  }
}
