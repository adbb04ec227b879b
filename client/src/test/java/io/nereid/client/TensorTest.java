package io.nereid.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class TensorTest {
  @Test
  void aShapeThatIsLeftOutIsFlat() {
    assertThat(Tensor.of(new int[] {1, 2, 3}).shape()).containsExactly(3);
    assertThat(Tensor.of(new String[0]).shape()).containsExactly(0);
  }

  @Test
  void theArrayMayBeChangedAfterwards() {
    float[] values = {1, 2};
    byte[] bytes = {1, 2};
    Tensor floats = Tensor.of(values);
    Tensor copied = Tensor.of(bytes);
    values[0] = 9;
    bytes[0] = 9;

    assertThat(floats.floats()).containsExactly(1, 2);
    assertThat(copied.byteValues()).containsExactly(1, 2);
  }

  @Test
  void aWrappedBufferIsNotCopied() {
    ByteBuffer buffer = littleEndian(4);
    Tensor tensor = Tensor.wrap(DataType.INT32, buffer, 1);
    buffer.put(0, (byte) 7);

    assertThat(tensor.ints()).containsExactly(7);
  }

  private static ByteBuffer littleEndian(int byteSize) {
    return ByteBuffer.allocate(byteSize).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Test
  void aBufferOfTheOtherOrderIsRefused() {
    ByteBuffer values = ByteBuffer.allocate(4).putFloat(0, 1);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tensor.wrap(DataType.FP32, values, 1))
        .withMessage(
            "a tensor of FP32 is little-endian, and the order of its buffer is BIG_ENDIAN, Java's default:"
                + " call order(ByteOrder.LITTLE_ENDIAN) before values are put into it");
    assertThat(Tensor.wrap(DataType.INT8, values, 4).byteValues()).hasSize(4);
    assertThat(Tensor.wrap(DataType.FP32, littleEndian(4).putFloat(0, 1), 1).floats())
        .containsExactly(1);
  }

  @Test
  void theDataCannotBeWritten() {
    Assertions.assertThatExceptionOfType(ReadOnlyBufferException.class)
        .isThrownBy(() -> Tensor.of(new int[] {1}).data().putInt(0, 2));
  }

  @Test
  void elementsMustBeThoseOfTheShape() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tensor.of(new int[] {1, 2, 3}, 2, 2))
        .withMessage(
            "a tensor of INT32 of shape [2, 2] has 4 elements, and 12 bytes are 3 of them");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tensor.wrap(DataType.INT32, littleEndian(7), 1))
        .withMessageContaining("7 bytes are no whole number of them");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tensor.of(new int[] {1}, -1))
        .withMessage("a dimension is negative in the shape [-1]");
  }

  @Test
  void stringsAreCountedUpToTheirLastByte() {
    ByteBuffer two = Tensor.of(new String[] {"ab", ""}).data();

    assertThat(Tensor.wrap(DataType.BYTES, two, 2).strings()).containsExactly("ab", "");
    for (int cut = 1; cut < 10; cut++) {
      if (cut == 6) {
        continue;
      }
      ByteBuffer part = two.duplicate().limit(cut);
      assertThatIllegalArgumentException()
          .as("cut at %d", cut)
          .isThrownBy(() -> Tensor.wrap(DataType.BYTES, part, 2));
    }
    ByteBuffer negative = ByteBuffer.allocate(4).putInt(0, -1);
    assertThatIllegalArgumentException().isThrownBy(() -> Tensor.wrap(DataType.BYTES, negative, 1));
  }

  @Test
  void elementsAreReadAsTheirOwnTypeOnly() {
    assertThatIllegalStateException()
        .isThrownBy(() -> Tensor.of(new float[] {1}).ints())
        .withMessage("a tensor of FP32 is not read as ints, which is for [INT32, UINT32]");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tensor.of(DataType.FP32, new int[] {1}))
        .withMessage("FP32 is not made of an int[], but of [INT32, UINT32]");
  }

  @Test
  void aScalarHasOneElementAndNoDimension() {
    Tensor scalar = Tensor.wrap(DataType.FP64, littleEndian(8));

    assertThat(scalar.shape()).isEmpty();
    assertThat(scalar.elementCount()).isEqualTo(1);
  }

  @Test
  void elementsInSharedMemoryAreNotHere() {
    SharedRegion region = new SharedRegion("r", 8, 4);
    Tensor tensor = Tensor.ofRegion(region, DataType.INT32, 1);

    assertThat(tensor.byteSize()).isEqualTo(4);
    assertThat(tensor.region()).isEqualTo(region);
    assertThatIllegalStateException().isThrownBy(tensor::data);
  }
}
