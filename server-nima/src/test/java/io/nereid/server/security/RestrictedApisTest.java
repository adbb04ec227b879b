package io.nereid.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.server.security.RestrictedApis.Group;
import io.nereid.server.security.RestrictedApis.Protocol;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Sources: Triton, protocol documentation; its options' help and messages. */
class RestrictedApisTest {
  private static RestrictedApis http(String... texts) {
    return of(Protocol.HTTP, texts);
  }

  /** A request with one header. */
  private static Function<String, Optional<String>> header(String name, String value) {
    return asked -> Optional.of(value).filter(_ -> asked.equals(name));
  }

  private static RestrictedApis of(Protocol protocol, String... texts) {
    return RestrictedApis.of(
        protocol, Arrays.stream(texts).map(text -> Group.parse(protocol, text)).toList());
  }

  @Test
  void aCallOfARestrictedCategoryNeedsTheHeaderWithTheValue() {
    var restricted = http("model-repository,logging:Admin-Key=s=e:c");

    for (var category : new ApiCategory[] {ApiCategory.MODEL_REPOSITORY, ApiCategory.LOGGING}) {
      assertThat(restricted.missing(category, header("Admin-Key", "s=e:c"))).isEmpty();
      assertThat(restricted.missing(category, header("Admin-Key", "s=e:"))).hasValue("Admin-Key");
      assertThat(restricted.missing(category, header("Admin-Key", "S=E:C"))).hasValue("Admin-Key");
      assertThat(restricted.missing(category, header("Admin-Key", ""))).hasValue("Admin-Key");
      assertThat(restricted.missing(category, _ -> Optional.empty())).hasValue("Admin-Key");
    }
    assertThat(restricted.missing(ApiCategory.INFERENCE, _ -> Optional.empty())).isEmpty();
  }

  @Test
  void noOtherCharacterStandsForOneOfTheValue() {
    var restricted = http("health:k=a?b");

    assertThat(restricted.missing(ApiCategory.HEALTH, header("k", "a?b"))).isEmpty();
    for (String other : new String[] {"a\u00e9b", "a\u20acb", "a\ufffdb", "a\ud800b", "a\u013fb"}) {
      assertThat(restricted.missing(ApiCategory.HEALTH, header("k", other))).hasValue("k");
    }
  }

  @Test
  void groupsHaveHeadersOfTheirOwn() {
    var restricted = http("health:a=1", "inference:b=2");

    assertThat(restricted.missing(ApiCategory.HEALTH, header("b", "2"))).hasValue("a");
    assertThat(restricted.missing(ApiCategory.INFERENCE, header("b", "2"))).isEmpty();
  }

  @Test
  void theHeaderOfGrpcHasAPrefix() {
    assertThat(of(Protocol.GRPC, "health:key=1").missing(ApiCategory.HEALTH, _ -> Optional.empty()))
        .hasValue("triton-grpc-protocol-key");
  }

  @ParameterizedTest
  @EnumSource(ApiCategory.class)
  void everyCategoryCanBeRestrictedByItsName(ApiCategory category) {
    var restricted = http(category + ":k=v");

    for (ApiCategory each : ApiCategory.values()) {
      assertThat(restricted.missing(each, _ -> Optional.empty()).isPresent())
          .isEqualTo(each == category);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', ''",
    "health, health",
    "health:, health:",
    "health:k, health:k",
    "health:k=, health:k=",
    ":k=secret, :k=…",
    "health:=secret, health:=…",
    "health=k:secret, health=…",
    "health:k:secret, health:k:…",
  })
  void aGroupIsCategoriesKeyAndValueAndAFaultDoesNotShowTheValue(String text, String shown) {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Group.parse(Protocol.HTTP, text))
        .withMessage(
            "--http-restricted-api option format is '<config name>:<setting>=<value>'. Got "
                + shown);
  }

  static Stream<String[]> faults() {
    return Stream.of(
        new String[] {"Health:k=v", "unknown restricted api 'Health'"},
        new String[] {"health,:k=v", "unknown restricted api ''"},
        new String[] {"health, trace:k=v", "unknown restricted api ' trace'"},
        new String[] {"health:a b=v", "'a b' cannot be the name of a header"},
        new String[] {
          "health:k=é",
          "no header can have this value of 'k': expected printable ASCII characters, without a"
              + " space at either end"
        });
  }

  @ParameterizedTest
  @MethodSource("faults")
  void rejectsWhatNoRequestCouldFulfil(String text, String message) {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Group.parse(Protocol.HTTP, text))
        .withMessage(message);
  }

  @Test
  void rejectsAKeyOfGrpcThatStandsForBinaryMetadata() {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Group.parse(Protocol.GRPC, "health:key-Bin=v"))
        .withMessage("'key-Bin' cannot be the name of a header");
  }

  @Test
  void aCategoryIsInOneGroupOnly() {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> http("health,trace:a=1", "logging,health:b=2"))
        .withMessage("restricted api 'health' can not be specified in multiple config groups");
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> of(Protocol.GRPC, "trace,trace:a=1"))
        .withMessage("restricted protocol 'trace' can not be specified in multiple config groups");
  }

  @Test
  void aGroupDoesNotPrintItsSecret() {
    assertThat(Group.parse(Protocol.HTTP, "health:key=secret").toString())
        .isEqualTo("[health]:key");
  }
}
