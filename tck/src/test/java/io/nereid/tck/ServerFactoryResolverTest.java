package io.nereid.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.http.HttpHealthVerification;
import io.nereid.tck.repository.ControlModeVerification;
import io.nereid.tck.support.Launched;
import java.net.ConnectException;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ServerFactoryResolverTest {
  static final class WithoutFactory extends HttpHealthVerification {}

  /** Its server is gone, which the tests of the nested classes then say. */
  abstract static class Suite implements ServerFactory {
    @Override
    public ServerUnderTest startServer(Path modelRepository) {
      return new ServerUnderTest(URI.create("http://127.0.0.1:1"), "", 0, () -> {});
    }

    @Nested
    class Health extends HttpHealthVerification {}

    @Nested
    class Modes extends ControlModeVerification {}
  }

  static final class Extended extends Suite {}

  @Test
  void aClassWithoutFactoryFailsWithASentence() {
    assertThat(Launched.run(WithoutFactory.class).failures())
        .singleElement()
        .satisfies(failure ->
            assertThat(failure)
                .rootCause()
                .hasMessageContaining(
                    "WithoutFactory starts no server: let it, or a class around"));
  }

  @Test
  void aNestedClassUsesTheFactoryAroundIt() {
    Launched launched = Launched.run(Extended.class);

    assertThat(launched.passed()).isEmpty();
    assertThat(launched.failures())
        .isNotEmpty()
        .allSatisfy(failure -> assertThat(failure).hasRootCauseInstanceOf(ConnectException.class));
  }
}
