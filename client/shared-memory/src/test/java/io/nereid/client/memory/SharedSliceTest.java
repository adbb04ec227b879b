package io.nereid.client.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.client.DataType;
import io.nereid.client.SharedRegion;
import io.nereid.client.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** Tensors in a slice, which is here some memory of this process. */
class SharedSliceTest {
  private static final SharedRegion REGION = new SharedRegion("r", 128, 16);

  private final MemorySegment memory = Arena.ofAuto().allocate(16);
  private final SharedSlice slice = new SharedSlice(REGION, memory);

  @Test
  void anInputIsTheFirstBytesOfTheSlice() {
    Tensor input = slice.tensor(DataType.FP32, 3, 1);

    assertThat(input.region()).isEqualTo(new SharedRegion("r", 128, 12));
    assertThat(input.shape()).containsExactly(3, 1);
    assertThat(slice.tensor(DataType.INT64, 2).byteSize()).isEqualTo(16);
    assertThat(slice.output("OUT").region()).isEqualTo(REGION);
  }

  @Test
  void anInputThatIsLargerThanTheSliceIsRefused() {
    assertThatThrownBy(() -> slice.tensor(DataType.FP16, 9))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a tensor of 18 bytes is not in a slice of 16");
    assertThatThrownBy(() -> slice.tensor(DataType.FP64, Long.MAX_VALUE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> slice.write(Tensor.of(new long[3])))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> slice.tensor(DataType.BYTES, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void bytesAreLittleEndian() {
    slice.buffer().putInt(0, 1);

    assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).startsWith(1, 0, 0, 0);
  }

  @Test
  void anOutputIsReadWhereItIs() {
    Tensor output = Tensor.ofRegion(REGION, DataType.INT32, 2, 1);
    Tensor read = slice.read(output);

    slice.buffer().putInt(4, 7);

    assertThat(read.ints()).containsExactly(0, 7);
    assertThat(read.shape()).containsExactly(2, 1);
  }

  @Test
  void stringsAreWrittenAndRead() {
    Tensor input = slice.write(Tensor.of(new String[] {"a", "üx"}, 1, 2));

    assertThat(input.byteSize()).isEqualTo(4 + 1 + 4 + 3);
    assertThat(input.dataType()).isEqualTo(DataType.BYTES);
    assertThat(slice.read(Tensor.ofRegion(REGION, DataType.BYTES, 2)).strings())
        .containsExactly("a", "üx");
  }

  @Test
  void anOutputThatDoesNotFitWhatIsThereIsRefused() {
    assertThatThrownBy(() -> slice.read(Tensor.ofRegion(REGION, DataType.INT64, 3)))
        .hasMessage("the output INT64[3] has 24 bytes, and its slice 16");
    assertThatThrownBy(() -> slice.read(Tensor.ofRegion(REGION, DataType.BYTES, 5)))
        .isInstanceOf(IllegalArgumentException.class); // four of them, of no characters, are there
    slice.buffer().putInt(0, 13);
    assertThatThrownBy(() -> slice.read(Tensor.ofRegion(REGION, DataType.BYTES, 1)))
        .isInstanceOf(IllegalArgumentException.class);
    slice.buffer().putInt(0, -1);
    assertThatThrownBy(() -> slice.read(Tensor.ofRegion(REGION, DataType.BYTES, 1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anOutputOfAnotherSliceOrOfNoneIsRefused() {
    assertThatThrownBy(
            () -> slice.read(Tensor.ofRegion(new SharedRegion("r", 0, 16), DataType.INT32, 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not in SharedRegion[name=r, offset=128, byteSize=16]");
    assertThatThrownBy(() -> slice.read(Tensor.of(new int[1])))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
