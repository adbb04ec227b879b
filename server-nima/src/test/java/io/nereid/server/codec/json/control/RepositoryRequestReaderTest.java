package io.nereid.server.codec.json.control;

import static io.nereid.error.StatusCode.INTERNAL;
import static io.nereid.error.StatusCode.INVALID_ARGUMENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.Lease;
import io.nereid.engine.model.control.LoadParameters;
import io.nereid.engine.testing.Failures;
import io.nereid.server.codec.Bodies;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RepositoryRequestReaderTest {
  @RegisterExtension private final Bodies bodies = new Bodies();

  private <T> T read(String json, Function<MemorySegment, T> reading) {
    try (Lease body = bodies.lease(json.getBytes(UTF_8))) {
      return reading.apply(body.segment());
    }
  }

  private LoadParameters loaded(String parameters) {
    return read("{\"parameters\":" + parameters + "}", RepositoryRequestReader::loadParameters);
  }

  private static ByteBuffer text(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "[]", "{\"ready\":false}", "{\"other\":1}"})
  void listsAllModelsUnlessAskedForReadyOnes(String body) {
    assertThat(read(body, RepositoryRequestReader::readyOnly)).isFalse();
    assertThat(read("{\"ready\":true}", RepositoryRequestReader::readyOnly)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "\"true\"", "null", "[]", "{\"ready\":true}"})
  void rejectsAReadyThatIsNoBoolean(String ready) {
    Failures.assertRejected(
        INVALID_ARGUMENT,
        "Invalid value for 'ready': expected a boolean",
        () -> read("{\"ready\":" + ready + "}", RepositoryRequestReader::readyOnly));
  }

  @Test
  void readsABodyNestedAsDeepAsItsLimitAllows() {
    int depth = 1_000_000;
    String nested = "{\"ready\":" + "[".repeat(depth) + "]".repeat(depth) + "}";

    Failures.assertRejected(
        INVALID_ARGUMENT,
        "Invalid value for 'ready': expected a boolean",
        () -> read(nested, RepositoryRequestReader::readyOnly));
  }

  @Test
  void readsConfigurationAndFiles() {
    assertThat(read("", RepositoryRequestReader::loadParameters)).isEqualTo(LoadParameters.NONE);
    assertThat(read("{}", RepositoryRequestReader::loadParameters)).isEqualTo(LoadParameters.NONE);
    assertThat(loaded("{}")).isEqualTo(LoadParameters.NONE);
    assertThat(
            loaded(
                "{\"config\":\"{\\\"name\\\":\\\"m\\\"}\",\"file:1/a\":\"aGVsbG8=\","
                    + "\"file:\":\"\"}"))
        .isEqualTo(
            new LoadParameters(
                Optional.of("{\"name\":\"m\"}"), Map.of("1/a", text("hello"), "", text(""))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"aGVsbG8", "aGVs\\nbG8=\\n", "aGVs\\r\\nbG8="})
  void readsFilesWithLineBreaksOrWithoutPadding(String base64) {
    assertThat(loaded("{\"file:f\":\"" + base64 + "\"}").files()).containsEntry("f", text("hello"));
  }

  @Test
  void readsTheFirstOfTwoParametersOfOneName() {
    assertThat(loaded("{\"config\":\"first\",\"config\":\"second\"}").config()).contains("first");
  }

  @Test
  void rejectsAFileThatIsNotBase64() {
    Failures.assertRejected(
        INVALID_ARGUMENT,
        "load parameter 'file:f' is not valid base64: Illegal base64 character 21",
        () -> loaded("{\"file:f\":\"aGVs!\"}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"config", "file:1/a", "other"})
  void rejectsAParameterThatIsNoString(String name) {
    Failures.assertRejected(
        INTERNAL,
        "attempt to access JSON non-string as string",
        () -> loaded("{\"" + name + "\":true}"));
  }

  @Test
  void rejectsAnUnknownParameter() {
    Failures.assertRejected(
        INTERNAL,
        "unexpected error on creating Triton parameter: unrecognized load parameter 'other'.",
        () -> loaded("{\"other\":\"x\"}"));
  }

  @Test
  void rejectsParametersThatAreNoObject() {
    Failures.assertRejected(INTERNAL, "attempt to get members for non-object", () -> loaded("[]"));
  }

  @Test
  void rejectsABodyThatIsNotJson() {
    Failures.assertRejected(
        INTERNAL,
        "failed to parse the request JSON buffer: Missing a name for object member. at 1",
        () -> read("{x", RepositoryRequestReader::loadParameters));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "{\"parameters\":{}}",
        "{\"parameters\":[]}",
        "{\"parameters\":{\"unload_dependents\":false}}",
        "{\"parameters\":{\"other\":1}}"
      })
  void unloadsDependentsOnlyWhenAsked(String body) {
    String dependents = "{\"parameters\":{\"unload_dependents\":true}}";

    assertThat(read(body, RepositoryRequestReader::unloadDependents)).isFalse();
    assertThat(read(dependents, RepositoryRequestReader::unloadDependents)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "\"true\"", "null", "{}"})
  void rejectsUnloadDependentsThatAreNoBoolean(String dependents) {
    String body = "{\"parameters\":{\"unload_dependents\":" + dependents + "}}";

    Failures.assertRejected(
        INVALID_ARGUMENT,
        "Unable to parse 'unload_dependents': attempt to access JSON non-boolean as boolean",
        () -> read(body, RepositoryRequestReader::unloadDependents));
  }
}
