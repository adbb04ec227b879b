package io.nereid.client.memory;

import io.nereid.client.DataType;
import io.nereid.client.RequestedOutput;
import io.nereid.client.SharedRegion;
import io.nereid.client.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A part of {@link SharedMemory}, for one input or output. Its bytes can be used until the memory
 * is closed, and by the server while a request that names it is under way: between, the program may
 * read and write them. What uses them afterwards, here or by a segment, a buffer or a tensor that
 * was made before, gets an {@link IllegalStateException}.
 *
 * <p>Elements are little-endian and packed, as everywhere in the protocol.
 */
public final class SharedSlice {
  private final SharedRegion region;
  private final MemorySegment segment;

  SharedSlice(SharedRegion region, MemorySegment segment) {
    this.region = region;
    this.segment = segment;
  }

  /** What a request says of it. */
  public SharedRegion region() {
    return region;
  }

  /** Its bytes, to be read and written by any thread. */
  public MemorySegment segment() {
    if (!segment.scope().isAlive()) {
      throw SharedMemory.closed(region.name());
    }
    return segment;
  }

  /**
   * The same bytes, little-endian, from position 0.
   *
   * @throws UnsupportedOperationException if it has 2 GiB or more
   */
  public ByteBuffer buffer() {
    return segment().asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * An input: the first bytes of the slice, when the request is executed, as many as the shape has.
   *
   * @param dataType of a fixed size; for BYTES see {@link #write}
   * @throws IllegalArgumentException if the slice is too small
   */
  public Tensor tensor(DataType dataType, long... shape) {
    if (dataType == DataType.BYTES) {
      throw new IllegalArgumentException("the bytes of BYTES are known once they are written");
    }
    long count = Tensor.ofRegion(region, dataType, shape).elementCount();
    return tensor(bytesOf(dataType, count), dataType, shape);
  }

  private Tensor tensor(long byteSize, DataType dataType, long... shape) {
    if (byteSize > segment().byteSize()) {
      throw new IllegalArgumentException(
          "a tensor of %d bytes is not in a slice of %d".formatted(byteSize, segment.byteSize()));
    }
    return Tensor.ofRegion(
        new SharedRegion(region.name(), region.offset(), byteSize), dataType, shape);
  }

  private static long bytesOf(DataType dataType, long count) {
    long max = Long.MAX_VALUE / dataType.byteSize();
    return count > max ? Long.MAX_VALUE : count * dataType.byteSize();
  }

  /**
   * Copies a tensor's elements into the slice's first bytes.
   *
   * @return the same tensor as an input that is there
   * @throws IllegalArgumentException if the slice is too small
   */
  public Tensor write(Tensor tensor) {
    Tensor written = tensor(tensor.byteSize(), tensor.dataType(), tensor.shape());
    MemorySegment elements = MemorySegment.ofBuffer(tensor.data());
    MemorySegment.copy(elements, 0, segment, 0, elements.byteSize());
    return written;
  }

  /** Asks for an output that the server writes into the slice, from its begin on. */
  public RequestedOutput output(String name) {
    segment(); // a closed one is not asked for
    return new RequestedOutput(name, 0, region);
  }

  /**
   * The elements of an output that the server has written into the slice, without a copy.
   *
   * @param output of the response to a request with {@link #output}
   * @return a view: the next output that the server writes here changes it, and the end of the
   *     memory ends it
   * @throws IllegalArgumentException if the output is not in this slice, or what is there is not of
   *     its type and shape
   */
  public Tensor read(Tensor output) {
    if (!region.equals(output.region())) {
      throw new IllegalArgumentException(
          "the output %s is in %s, not in %s".formatted(output, output.region(), region));
    }
    long byteSize =
        output.dataType() == DataType.BYTES
            ? bytesOfStrings(output.elementCount())
            : bytesOf(output.dataType(), output.elementCount());
    if (byteSize > segment().byteSize()) {
      throw new IllegalArgumentException(
          "the output %s has %d bytes, and its slice %d"
              .formatted(output, byteSize, segment.byteSize()));
    }
    return Tensor.wrap(
        output.dataType(),
        segment.asSlice(0, byteSize).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN),
        output.shape());
  }

  /** The bytes of so many strings, each after its length; more than the slice has if one is cut. */
  private long bytesOfStrings(long count) {
    ByteBuffer bytes = buffer();
    long at = 0;
    for (long i = 0; i < count; i++) {
      if (at > bytes.limit() - Integer.BYTES) {
        return at + Integer.BYTES;
      }
      at += Integer.BYTES + Integer.toUnsignedLong(bytes.getInt((int) at));
    }
    return at;
  }
}
