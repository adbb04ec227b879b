package io.nereid.engine.model.config.conversion;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.ModelConfig;

/** Any text as the configuration of a load request. */
class ModelConfigJsonFuzzTest {
  @FuzzTest
  void isReadAgainAsItWasWritten(byte[] input) {
    FuzzedMemory.run(
        input,
        _ -> {
          ModelConfig config;
          try {
            config = ModelConfigJsonReader.read(new String(input, UTF_8));
          } catch (InferenceException rejected) {
            assertThat(rejected.getMessage()).startsWith("model configuration is not valid JSON: ");
            return;
          }
          assertThat(ModelConfigJsonReader.read(ModelConfigJsonWriter.write(config)))
              .isEqualTo(config);
        });
  }
}
