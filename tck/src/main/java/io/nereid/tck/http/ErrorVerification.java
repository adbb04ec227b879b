package io.nereid.tck.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests that cannot be decoded: each gets its status and text, and has no effect on the next.
 */
public abstract class ErrorVerification extends HttpVerification {
  private static final String UNSIGNED =
      "attempt to access JSON non-unsigned-integer as unsigned-integer";

  @Test
  @Rule("HTTP-ERROR-01")
  void rejectsAnUnknownModel() {
    rejected(
        infer("unknown", request(INPUT0)),
        404,
        "Request for unknown model: 'unknown' is not found");
  }

  @Test
  @Rule("HTTP-ERROR-02")
  void rejectsAnUnknownVersion() {
    rejected(
        infer("simple/versions/7", request(INPUT0, INPUT1)),
        404,
        "Request for unknown model: 'simple' version 7 is not found");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "{\"inputs\":[}",
        "{\"inputs\" [] }",
        "[1,",
        "{\"inputs\":[]} 1",
        "nonsense",
        "{'inputs':[]}",
        "{\"id\":\"not closed"
      })
  @Rule("HTTP-ERROR-03")
  void rejectsWhatIsNotJson(String body) {
    rejectedWith(infer("simple", body), 500, "failed to parse the request JSON buffer: ");
  }

  @Test
  @Rule("HTTP-ERROR-04")
  void rejectsAnIdThatIsNoString() {
    simpleMalformed(
        requestWith("\"id\":7", INPUT0, INPUT1),
        "Unable to parse 'id': attempt to access JSON non-string as string");
  }

  @Test
  @Rule("HTTP-ERROR-05")
  void rejectsParametersThatAreNoObject() {
    simpleMalformed(
        requestWith("\"parameters\":[1]", INPUT0, INPUT1),
        "failed to get request params.: attempt to get members for non-object");
  }

  @Test
  @Rule("HTTP-ERROR-06")
  void rejectsAReservedParameterOfTheWrongType() {
    simpleMalformed(
        requestWith("\"parameters\":{\"sequence_start\":1}", INPUT0, INPUT1),
        "Unable to parse 'sequence_start': attempt to access JSON non-boolean as boolean");
    simpleMalformed(
        requestWith("\"parameters\":{\"priority\":-1}", INPUT0, INPUT1),
        "Unable to parse 'priority': " + UNSIGNED);
    simpleMalformed(
        requestWith("\"parameters\":{\"timeout\":\"1\"}", INPUT0, INPUT1),
        "Unable to parse 'timeout': " + UNSIGNED);
    simpleMalformed(
        requestWith("\"parameters\":{\"binary_data_output\":1}", INPUT0, INPUT1),
        "Unable to parse 'binary_data_output': attempt to access JSON non-boolean as boolean");
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "[1]", "{\"a\":1}"})
  @Rule("HTTP-ERROR-07")
  void rejectsAParameterThatIsNoScalar(String value) {
    simpleRefused(
        requestWith("\"parameters\":{\"mine\":" + value + "}", INPUT0, INPUT1),
        "parameter 'mine' has invalid type. It should be either 'int', 'bool', or 'string'.");
  }

  @Test
  @Rule("HTTP-ERROR-08")
  void rejectsAParameterWithTritonsPrefix() {
    simpleRefused(
        requestWith("\"parameters\":{\"triton_mine\":1}", INPUT0, INPUT1),
        "parameter keys starting with 'triton_' are reserved for Triton usage and should not be"
            + " specified.");
  }

  @Test
  @Rule("HTTP-ERROR-09")
  void rejectsARequestWithoutInputs() {
    simpleMalformed(
        "{}", "Unable to parse 'inputs': attempt to access non-existing object member 'inputs'");
    simpleMalformed(
        "{\"inputs\":{}}", "Unable to parse 'inputs': attempt to access JSON non-array as array");
  }

  @Test
  @Rule("HTTP-ERROR-10")
  void rejectsAnInputWithoutOrWithTwoSourcesOfData() {
    String only =
        "Input must set only one of the following fields: 'data', 'binary_data_size' in"
            + " 'parameters', 'shared_memory_region' in 'parameters'. But ";
    var none = "{\"name\":\"INPUT0\",\"datatype\":\"INT32\",\"shape\":[1,16]}";
    simpleRefused(request(none, INPUT1), only + "no field is set");

    var two = none.replace("}", ",\"data\":[1],\"parameters\":{\"binary_data_size\":4}}");
    rejectedWith(infer("simple", request(two, INPUT1)), only + "set 'data' 'binary_data_size'");
  }

  @ParameterizedTest
  @CsvSource({"name,string", "datatype,string", "shape,array"})
  @Rule("HTTP-ERROR-11")
  void rejectsAnInputWithoutAMemberThatItNeedsOrWithOneOfTheWrongType(String member, String type) {
    var missing = INPUT0.replace("\"" + member + "\"", "\"other\"");
    simpleMalformed(
        request(missing, INPUT1),
        "Unable to parse '%s': attempt to access non-existing object member '%s'"
            .formatted(member, member));

    var mistyped =
        INPUT0.replaceFirst(
            "\"" + member + "\":(\"[A-Z0-9]*\"|\\[[^\\]]*\\])", "\"" + member + "\":7");
    simpleMalformed(
        request(mistyped, INPUT1),
        "Unable to parse '%s': attempt to access JSON non-%s as %s".formatted(member, type, type));
  }

  @ParameterizedTest
  @ValueSource(strings = {"[2,-5]", "[1.5,16]", "[\"1\",16]"})
  @Rule("HTTP-ERROR-12")
  void rejectsAShapeOfAnythingButUnsignedIntegers(String shape) {
    simpleMalformed(
        request(input("INPUT0", "INT32", shape, "[1]"), INPUT1),
        "Unable to parse 'shape': " + UNSIGNED);
  }

  @Test
  @Rule("HTTP-ERROR-13")
  void rejectsTheSameInputTwice() {
    simpleRefused(request(INPUT0, INPUT0), NO_ID + "input 'INPUT0' already exists in request");
    simpleRefused(
        requestWith("\"id\":\"x7\"", INPUT0, INPUT0),
        "[request id: x7] input 'INPUT0' already exists in request");
  }

  @Test
  @Rule("HTTP-ERROR-14")
  void rejectsTheSameOutputTwice() {
    simpleRefused(
        requestWith("\"outputs\":[{\"name\":\"OUTPUT0\"},{\"name\":\"OUTPUT0\"}]", INPUT0, INPUT1),
        NO_ID + "output 'OUTPUT0' already exists in request");
  }

  @ParameterizedTest
  @ValueSource(strings = {"br", "GZIP", "gzip, deflate", "gzip;q=1"})
  @Rule("HTTP-ERROR-27")
  void rejectsAnUnknownContentEncoding(String encoding) {
    byte[] body = request(INPUT0, INPUT1).getBytes(UTF_8);
    var response = infer("simple", body, Map.of("Content-Encoding", encoding));
    assertThat(response.header("Accept-Encoding")).isEqualTo("gzip, deflate");
    rejected(response, 501, "Unsupported compression type");
  }

  @Test
  @Rule("HTTP-ERROR-30")
  void rejectsADecoupledModel() {
    rejected(
        infer(
            "repeat",
            request("{\"name\":\"IN\",\"datatype\":\"INT32\",\"shape\":[1],\"data\":[1]}")),
        501,
        "HTTP end point doesn't support models with decoupled transaction policy");
  }
}
