package io.nereid.client.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.nereid.client.DataType;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Elements of JSON at the limits of their type. */
class JsonDataTest {
  private static ByteBuffer read(DataType dataType, String element) throws IOException {
    try (JsonParser json = new JsonFactory().createParser("[" + element + "]")) {
      json.nextToken();
      return JsonData.read(json, dataType);
    }
  }

  private static long value(DataType dataType, ByteBuffer data) {
    return switch (dataType.byteSize()) {
      case 1 -> data.get();
      case 2 -> data.getShort();
      case 4 -> data.getInt();
      default -> data.getLong();
    };
  }

  @ParameterizedTest
  @CsvSource({
    "INT8, -128, 127, -129, 128",
    "INT16, -32768, 32767, -32769, 32768",
    "INT32, -2147483648, 2147483647, -2147483649, 2147483648",
    "INT64, -9223372036854775808, 9223372036854775807, -9223372036854775809, 9223372036854775808",
    "UINT8, 0, 255, -1, 256",
    "UINT16, 0, 65535, -1, 65536",
    "UINT32, 0, 4294967295, -1, 4294967296",
    "UINT64, 0, 18446744073709551615, -1, 18446744073709551616",
  })
  void anIntegerIsWithinItsTypeOrRefused(
      DataType dataType, String least, String most, String below, String above) throws IOException {
    boolean isSigned = !least.equals("0");
    long bits = dataType.byteSize() * 8L;
    long greatest = isSigned ? (1L << (bits - 1)) - 1 : -1;

    assertThat(value(dataType, read(dataType, least))).isEqualTo(isSigned ? -greatest - 1 : 0);
    assertThat(value(dataType, read(dataType, most))).isEqualTo(greatest);
    for (String wrong : new String[] {below, above, "1.5", "true", "\"1\""}) {
      assertThatExceptionOfType(ProtocolException.class)
          .isThrownBy(() -> read(dataType, wrong))
          .withMessageMatching("'data' of " + dataType + " has .+");
    }
  }
}
