package io.nereid.server.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.ParameterException;

class BackendOptionsTest {
  @Test
  void settingsApplyToOneBackendOrToAll() {
    ServerOptions options =
        ParsedOptions.of(
            "--model-store=/a",
            "--backend-config=onnxruntime,threads=2",
            "--backend-config=onnxruntime,threads=4",
            "--backend-config",
            "onnxruntime,path=a=b,c",
            "--backend-config=default-max-batch-size=8");

    assertThat(options.backends().plugins().settings())
        .isEqualTo(
            Map.of(
                "onnxruntime", Map.of("threads", "4", "path", "a=b,c"),
                "", Map.of("default-max-batch-size", "8")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        ",x=y | No backend specified: expected <backend>,<key>=<value>, got ',x=y'",
        "=y | expected <backend>,<key>=<value>, got '=y'",
        "a,=y | expected <backend>,<key>=<value>, got 'a,=y'",
        "java:allow=true | expected <backend>,<key>=<value>, got 'java:allow=true'"
      })
  void aSettingNeedsAKeyAndNoEmptyBackend(String value, String text) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> ParsedOptions.of("--model-store=/a", "--backend-config=" + value))
        .withMessageContaining(text);
  }

  @Test
  void aSettingNeedsAValue() {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(
            () -> ParsedOptions.of("--model-store=/a", "--backend-config=onnxruntime,threads"))
        .withMessageContaining("expected <backend>,<key>=<value>, got 'onnxruntime,threads'");
  }
}
