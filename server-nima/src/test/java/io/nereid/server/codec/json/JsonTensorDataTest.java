package io.nereid.server.codec.json;

import static io.nereid.error.StatusCode.INTERNAL;
import static io.nereid.error.StatusCode.INVALID_ARGUMENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.request.DecodedRequest;
import io.nereid.server.codec.Bodies;
import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTensorDataTest {
  @RegisterExtension private final Bodies bodies = new Bodies();

  private String hex(String dataType, String shape, String data) {
    try (DecodedRequest request = bodies.read(Bodies.input(dataType, shape, data))) {
      return HexFormat.of().formatHex(Bodies.bytes(request.inputs().getFirst().data()));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "BOOL|[2]|[true,false]|0100",
        "UINT8|[2]|[0,255]|00ff",
        "INT8|[2]|[-128,127]|807f",
        "UINT16|[2]|[1,65535]|0100ffff",
        "INT16|[2]|[-32768,32767]|0080ff7f",
        "UINT32|[1]|[4294967295]|ffffffff",
        "INT32|[2]|[-2147483648,2147483647]|00000080ffffff7f",
        "UINT64|[1]|[18446744073709551615]|ffffffffffffffff",
        "INT64|[1]|[-9223372036854775808]|0000000000000080",
        "UINT8|[1]|[-0]|00",
        "FP32|[3]|[1, -2.5e0 , 0.1]|0000803f000020c0cdcccc3d",
        "FP32|[3]|[NaN,-Inf,Infinity]|0000c07f000080ff0000807f",
        "FP32|[1]|[1e300]|0000807f",
        "FP64|[2]|[1,-Infinity]|000000000000f03f000000000000f0ff",
      })
  void storesEachTypeLittleEndian(String dataType, String shape, String data, String hex) {
    assertThat(hex(dataType, shape, data)).isEqualTo(hex);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[1,2,3,4]",
        "[[1,2],[3,4]]",
        "[[1],[2,[3]],[],4]",
        "[ [ [ 1 ] ] , 2 ,\n3,\t[4]\r]",
        "[1 ,2,  3, 4]"
      })
  void readsLeavesInOrderForAnyNesting(String data) {
    assertThat(hex("UINT8", "[2,2]", data)).isEqualTo("01020304");
  }

  @Test
  void storesStringsAsLengthAndUtf8() {
    assertThat(hex("BYTES", "[3]", "[\"\",\"a\\u0000\\n\\u00e9\",[\"\\ud83d\\ude00€\"]]"))
        .isEqualTo("00000000" + "05000000" + "61000ac3a9" + "07000000" + "f09f9880e282ac");
  }

  @Test
  void keepsStringBytesThatAreNoUtf8() {
    byte[] json = Bodies.input("BYTES", "[1]", "[\"xyz\"]").getBytes(StandardCharsets.ISO_8859_1);
    json[new String(json, StandardCharsets.ISO_8859_1).indexOf("xyz") + 1] = (byte) 0xff;
    try (DecodedRequest request = bodies.read(json)) {
      assertThat(Bodies.bytes(request.inputs().getFirst().data()))
          .containsExactly(3, 0, 0, 0, 'x', 0xff, 'z');
    }
  }

  @Test
  void doesNotCheckTheNumberOfStrings() {
    assertThat(hex("BYTES", "[2]", "[\"a\"]")).isEqualTo("0100000061");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"FP32|[0]|5", "BYTES|[2,0]|{}", "INT8|[]|[1]", "FP16|[0]|[1]"})
  void ignoresTheDataOfAnEmptyTensor(String dataType, String shape, String data) {
    assertThat(hex(dataType, shape, data)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "INT32|[1.0]|non-signed-integer as signed-integer: element 0 of input 'A' is another number",
        "INT32|[1e0]|non-signed-integer as signed-integer: element 0 of input 'A' is another number",
        "INT32|[true]|non-signed-integer as signed-integer: element 0 of input 'A' is a boolean: write 1 for true, 0 for false",
        "INT64|[9223372036854775808]|non-signed-integer as signed-integer: element 0 of input 'A' is another number",
        "INT8|[{}]|non-signed-integer as signed-integer: element 0 of input 'A' is an object",
        "UINT8|[-1]|non-unsigned-integer as unsigned-integer: element 0 of input 'A' is another number",
        "UINT64|[18446744073709551616]|non-unsigned-integer as unsigned-integer: element 0 of input 'A' is another number",
        "UINT8|[NaN]|non-unsigned-integer as unsigned-integer: element 0 of input 'A' is another number",
        "BOOL|[1]|non-boolean as boolean: element 0 of input 'A' is a number",
        "BOOL|[0]|non-boolean as boolean: element 0 of input 'A' is a number",
        "FP32|[\"1\"]|non-number as double: element 0 of input 'A' is a string",
        "FP64|[null]|non-number as double: element 0 of input 'A' is null",
        "FP32|5|non-array as array",
        "BYTES|\"x\"|non-array as array"
      })
  void rejectsElementsOfAnotherType(String dataType, String data, String text) {
    bodies.assertRejected(
        INTERNAL,
        "Unable to parse 'data': attempt to access JSON " + text,
        Bodies.input(dataType, "[1]", data));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "FP32|[3]|[null, 1 ,null]|0000c07f0000803f0000c07f",
        "FP64|[1,1]|[[null]]|000000000000f87f",
        "BYTES|[3]|[null,\"a\",null]|00000000" + "0100000061" + "00000000"
      })
  void nullIsAMissingValueOfAModelThatTakesThem(
      String dataType, String shape, String data, String hex) {
    byte[] json = Bodies.input(dataType, shape, data).getBytes(StandardCharsets.UTF_8);
    try (DecodedRequest request =
        bodies.reader.read(bodies.lease(json), json.length, "m", true, bodies.pool)) {
      assertThat(HexFormat.of().formatHex(Bodies.bytes(request.inputs().getFirst().data())))
          .isEqualTo(hex);
    }
  }

  @Test
  void namesTheElementThatIsNull() {
    bodies.assertRejected(
        INTERNAL,
        "Unable to parse 'data': attempt to access JSON non-number as double: element 2 of input"
            + " 'A' is null",
        Bodies.input("FP32", "[3]", "[1,2,null]"));
  }

  @Test
  void rejectsOtherValuesThanStrings() {
    bodies.assertRejected(
        INTERNAL,
        "Unable to parse JSON bytes array: attempt to access JSON non-string as string: element 0 of"
            + " input 'A' is a number",
        Bodies.input("BYTES", "[1]", "[1]"));
  }

  @ParameterizedTest
  @CsvSource({
    "UINT8,256", "INT8,128", "INT8,-129",
    "UINT16,65536", "INT16,-32769", "UINT32,4294967296",
    "INT32,2147483648", "UINT8,18446744073709551615"
  })
  void rejectsIntegersOutOfRangeInsteadOfWrappingThem(String dataType, String value) {
    bodies.assertRejected(
        INVALID_ARGUMENT,
        "input 'A': %s is out of range for %s".formatted(value, dataType),
        Bodies.input(dataType, "[1]", "[" + value + "]"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"FP32", "FP64", "INT16"})
  void comparesTheNumberOfElementsWithTheShape(String dataType) {
    bodies.assertRejected(
        INTERNAL,
        "Failed to parse 'data' field: shape does not match true shape",
        Bodies.input(dataType, "[500]", "[1,2]"));
    bodies.assertRejected(
        INTERNAL,
        "Unable to parse 'data': Shape does not match true shape of 'data' field",
        Bodies.input(dataType, "[1]", "[1,2]"));
  }

  @Test
  void rejectsTypesWithoutAJsonForm() {
    for (String dataType : new String[] {"FP16", "BF16"}) {
      bodies.assertRejected(
          INVALID_ARGUMENT,
          "receiving %s data via JSON is not supported. Please use the binary data format for input A"
              .formatted(dataType),
          Bodies.input(dataType, "[1]", "[1]"));
    }
    bodies.assertRejected(
        INVALID_ARGUMENT, "invalid datatype for input A", Bodies.input("INT128", "[1]", "[1]"));
  }

  @Test
  void limitsNesting() {
    assertThat(hex("UINT8", "[1]", "[".repeat(100) + "1" + "]".repeat(100))).isEqualTo("01");
    String deep = "[".repeat(101) + "1" + "]".repeat(101);
    bodies.assertRejected(
        INVALID_ARGUMENT,
        "Unable to parse 'data': JSON nesting depth exceeds maximum allowed limit (100)",
        Bodies.input("UINT8", "[1]", deep));
    bodies.assertRejected(
        INVALID_ARGUMENT,
        "JSON nesting depth exceeds maximum allowed limit (100)",
        Bodies.input("BYTES", "[1]", deep));
  }

  @Test
  void leasesNoMoreMemoryThanTheTextCanFill() {
    try (DecodedRequest request = bodies.read(Bodies.input("FP32", "[3]", "[1,2,3]"))) {
      MemorySegment data = request.inputs().getFirst().data();
      assertThat(data.byteSize()).isEqualTo(12);
      assertThat(data.get(Elements.FLOAT, 8)).isEqualTo(3);
    }
  }
}
