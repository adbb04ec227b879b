package io.nereid.tensorrt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.BackendProvider;
import io.nereid.tck.TestContext;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class TensorRtBackendProviderTest {
  @Test
  void isFoundOnTheClassPath() {
    assertThat(ServiceLoader.load(BackendProvider.class))
        .extracting(BackendProvider::name)
        .contains("tensorrt");
  }

  @Test
  void failsToOpenWithTheSentenceOnWhatIsMissing() {
    var provider = ServiceLoader.load(BackendProvider.class).findFirst().orElseThrow();
    var settings = TestContext.of("tensorrt", Map.of("cudart", "/missing/libcudart.so.13"));

    assertThatThrownBy(() -> provider.open(settings))
        .isInstanceOfSatisfying(
            InferenceException.class,
            failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE))
        .message()
        .startsWith("TensorRT backend unavailable: ")
        .contains("/missing/libcudart.so.13");
  }
}
