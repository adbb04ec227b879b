package io.nereid.server.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Models with a native batching library, which this server does not load. */
class CustomBatchingTest {
  @TempDir private Path repository;

  @Test
  void aModelWithANativeBatchingLibraryIsRefused() {
    try (var loader = new LoaderUnderTest(repository)) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() ->
              loader.load(
                  """
                  name: "m"
                  backend: "gate"
                  max_batch_size: 8
                  input { name: "IN0" data_type: TYPE_FP32 dims: 4 }
                  output { name: "OUT0" data_type: TYPE_FP32 dims: 4 }
                  dynamic_batching {}
                  parameters {
                    key: "TRITON_BATCH_STRATEGY_PATH"
                    value { string_value: "/opt/volume.so" }
                  }
                  """))
          .withMessageContaining("model 'm': parameter 'TRITON_BATCH_STRATEGY_PATH'")
          .withMessageContaining("/opt/volume.so")
          .satisfies(refused -> assertThat(refused.code()).isEqualTo(StatusCode.UNSUPPORTED));
    }
  }
}
