package io.nereid.server.options;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.engine.testing.FuzzedMemory;
import picocli.CommandLine.ParameterException;

/** Any command line of {@code serve}. */
class OptionsFuzzTest {
  /** Each line of the input is an argument. */
  @FuzzTest
  void areReadOrRejected(byte[] input) {
    String[] arguments = new String(input, UTF_8).lines().toArray(String[]::new);
    FuzzedMemory.run(
        input,
        _ -> {
          try {
            ParsedOptions.of(arguments);
          } catch (ParameterException rejected) {
            assertThat(rejected.getMessage()).isNotEmpty();
          }
        });
  }
}
