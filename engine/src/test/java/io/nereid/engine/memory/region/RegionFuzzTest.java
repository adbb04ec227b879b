package io.nereid.engine.memory.region;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import io.nereid.tck.support.SharedMemoryObject;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.nio.ByteBuffer;

/** Any offsets and sizes, of a region in its object and of a tensor in its region. */
class RegionFuzzTest {
  private static final int SIZE = 3 * 4096;
  private static final SharedMemoryObject OBJECT = SharedMemoryObject.create(SIZE);

  /** Four numbers: offset and size of the region, offset and size of the tensor. */
  @FuzzTest
  void isReadWithinItsObject(byte[] input) {
    if (input.length < 4 * Long.BYTES) {
      return;
    }
    ByteBuffer numbers = ByteBuffer.wrap(input);
    long offset = numbers.getLong();
    long byteSize = numbers.getLong();
    long start = numbers.getLong();
    long length = numbers.getLong();
    FuzzedMemory.run(
        new byte[SIZE],
        memory -> {
          try (SharedRegions regions = SharedRegions.open(1, DeviceMemoryOpener.NONE)) {
            regions.register(ClientKey.LOCAL, "r", OBJECT.key(), offset, byteSize);
            assertThat(end(offset, byteSize)).isLessThanOrEqualTo(BigInteger.valueOf(SIZE));
            RegionSlice slice = regions.slice("r", start, length);
            assertThat(end(start, length)).isLessThanOrEqualTo(unsigned(byteSize));
            try (Lease lease = slice.read(memory)) {
              assertThat(lease.segment().toArray(ValueLayout.JAVA_BYTE)).hasSize((int) length);
            }
          } catch (InferenceException rejected) {
            assertThat(rejected.getStackTrace()).as("a failure that clients cause").isEmpty();
          }
        });
  }

  private static BigInteger end(long offset, long byteSize) {
    return unsigned(offset).add(unsigned(byteSize));
  }

  private static BigInteger unsigned(long value) {
    return new BigInteger(Long.toUnsignedString(value));
  }
}
