package io.nereid.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EngineBuilderTest {
  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2", "3, 4", "1048575, 1048576", "1048576, 1048576"})
  void theLimitOfQueuedRequestsIsRoundedUpToAPowerOfTwo(int requests, int limit) {
    var builder = Engine.builder().repository(Path.of("models"));
    assertThat(builder.maxQueuedRequests(requests).settings().serving().queueLimits().requests())
        .isEqualTo(limit);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1_048_577, 1 << 30, (1 << 30) + 1, Integer.MAX_VALUE})
  void aLimitThatNoQueueCanHaveIsRefused(int requests) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Engine.builder().maxQueuedRequests(requests))
        .withMessage(requests + " queued requests: expected 1 to 1048576");
  }
}
