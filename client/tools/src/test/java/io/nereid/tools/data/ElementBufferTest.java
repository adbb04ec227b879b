package io.nereid.tools.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.nereid.client.DataType;
import io.nereid.client.Tensor;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ElementBufferTest {
  private static Tensor read(DataType type, String... cells) {
    ElementBuffer elements = new ElementBuffer(type, cells.length);
    Arrays.stream(cells).forEach(elements::put);
    return elements.tensor(cells.length);
  }

  @ParameterizedTest
  @CsvSource({
    "BOOL, True, true",
    "BOOL, 0, false",
    "UINT8, 255, 255",
    "INT8, -128, -128",
    "UINT16, 65535, 65535",
    "INT16, -32768, -32768",
    "UINT32, 4294967295, 4294967295",
    "INT32, -2147483648, -2147483648",
    "UINT64, 18446744073709551615, 18446744073709551615",
    "INT64, -9223372036854775808, -9223372036854775808",
    "INT64, 3.0, 3",
    "FP16, 65504, 65504.0",
    "BF16, 1.5, 1.5",
    "FP32, ' 3.4028235e38', 3.4028235E38",
    "FP32, '', NaN",
    "FP32, nan, NaN",
    "FP64, True, 1.0",
    "FP32, ' false', 0.0",
    "INT64, TRUE, 1",
    "FP32, -inf, -Infinity",
    "FP64, 0.1, 0.1",
    "FP64, .5, 0.5",
    "FP64, 5., 5.0",
    "BYTES, ' Zürich', ' Zürich'",
    "BYTES, '', ''",
  })
  void aCellIsReadAsTheDataTypeHasIt(DataType type, String cell, String value) {
    assertThat(ElementTexts.of(read(type, cell))).containsExactly(value);
  }

  @ParameterizedTest
  @CsvSource({
    "BOOL, 2, 'got ''2'', expected true or false (BOOL)'",
    "UINT8, 256, 'got 256, expected a number in its range (UINT8)'",
    "UINT8, -1, 'got -1, expected a number in its range (UINT8)'",
    "INT8, 128, 'got 128, expected a number in its range (INT8)'",
    "INT8, -129, 'got -129, expected a number in its range (INT8)'",
    "INT64, 9223372036854775808, 'got 9223372036854775808, expected a number in its range (INT64)'",
    "UINT64, 18446744073709551616, 'got 18446744073709551616, expected a number in its range (UINT64)'",
    "INT32, 3.5, 'got ''3.5'', expected an integer (INT32)'",
    "INT32, '', 'got an empty cell, expected an integer (INT32)'",
    "FP32, 3.5e38, 'got 3.5E38, expected a number in its range (FP32)'",
    "FP32, abc, 'got ''abc'', expected a number (FP32)'",
    "FP64, '39,0', 'got ''39,0'', expected a number with a point, as pandas writes it with decimal=''.'' (FP64)'",
    "FP64, '1,2,3', 'got ''1,2,3'', expected a number (FP64)'",
    "FP64, 1d, 'got ''1d'', expected a number (FP64)'",
    "FP64, 0x1p3, 'got ''0x1p3'', expected a number (FP64)'",
  })
  void whatTheDataTypeCannotHoldIsRefused(DataType type, String cell, String sentence) {
    assertThatIllegalArgumentException().isThrownBy(() -> read(type, cell)).withMessage(sentence);
  }

  @Test
  void aNumberIsRoundedOnceFromDecimalToDoubleAndThenToFloatAsPandasAndNumPyDo() {
    // halfway between two floats once it is a double, above the middle before
    String text = "1.000000059604644775390626";

    assertThat(read(DataType.FP32, text).floats())
        .containsExactly((float) Double.parseDouble(text));
  }
}
