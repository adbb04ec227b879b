package io.nereid.server.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.plugin.PluginSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.ParameterException;

class CacheOptionsTest {
  private static PluginSettings parse(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--model-store=/a"));
    all.addAll(List.of(arguments));
    return ParsedOptions.of(all.toArray(String[]::new)).cache().plugins();
  }

  @Test
  void thereIsNoCacheByDefault() {
    assertThat(parse().settings()).isEmpty();
    assertThat(parse().directory()).isEqualTo(Path.of("./caches"));
  }

  @Test
  void settingsOfOneCacheAreCollected() {
    assertThat(parse("--cache-config=redis,host=a=b", "--cache-config", "redis,port=1").settings())
        .isEqualTo(Map.of("redis", Map.of("host", "a=b", "port", "1")));
    assertThat(parse("--cache-config=local,size=1", "--cache-config=local,size=2").settings())
        .isEqualTo(Map.of("local", Map.of("size", "2")));
    assertThat(parse("--cache-directory=/c").directory()).isEqualTo(Path.of("/c"));
  }

  @Test
  void theDeprecatedSizeStandsForALocalCache() {
    assertThat(parse("--response-cache-byte-size=1048576").settings())
        .isEqualTo(Map.of("local", Map.of("size", "1048576")));
  }

  @Test
  void rejectsBothAtOnce() {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(
            () -> parse("--response-cache-byte-size=1048576", "--cache-config=local,size=1048576"))
        .withMessage(
            "Error: Incompatible flags --response-cache-byte-size and --cache-config both provided."
                + " Please provide one or the other.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "--cache-config=size=1; No cache specified. --cache-config option format is"
            + " <cache name>,<setting>=<value>. Got size=1",
        "--cache-config=,size=1; No cache specified.",
        "--cache-config=local,size; --cache-config option format is '<cache name>,<setting>=<value>'."
            + " Got local,size",
        "--cache-config=local,=1; Got local,=1",
        "--cache-config=local,size=; Got local,size=",
        "--response-cache-byte-size=many; many"
      })
  void rejectsAnInvalidSetting(String argument, String text) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse(argument))
        .withMessageContaining(text);
  }
}
