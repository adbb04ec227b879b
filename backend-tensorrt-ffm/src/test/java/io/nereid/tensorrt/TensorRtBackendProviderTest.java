package io.nereid.tensorrt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.BackendSettings;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class TensorRtBackendProviderTest {
  @Test
  void isFoundOnTheClassPath() {
    assertThat(ServiceLoader.load(BackendProvider.class))
        .extracting(BackendProvider::name)
        .containsExactly("tensorrt");
  }

  @Test
  void failsToOpenNamingTheMissingLibrariesAndAnAlternative() {
    var provider = ServiceLoader.load(BackendProvider.class).findFirst().orElseThrow();

    assertThatThrownBy(() -> provider.open(new BackendSettings(Map.of())))
        .isInstanceOfSatisfying(
            InferenceException.class,
            failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE))
        .message()
        .contains(List.of("'tensorrt'", "CUDA", "TensorRT libraries", "'onnxruntime'"));
  }
}
