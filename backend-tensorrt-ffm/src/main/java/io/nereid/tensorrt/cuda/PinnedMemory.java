package io.nereid.tensorrt.cuda;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.HostAllocator;
import io.nereid.tensorrt.bindings.cudart.Cudart;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Page-locked host memory, which a GPU copies from and to without a staging buffer. It is
 * page-locked for all devices. Thread-safe.
 */
public final class PinnedMemory implements HostAllocator {
  private static final System.Logger LOG = System.getLogger(PinnedMemory.class.getName());

  /** What is allocated: start addresses in ascending order, and the end of each. */
  private static final class Ranges {
    static final Ranges NONE = new Ranges(new long[0], new long[0]);

    private final long[] starts;
    private final long[] ends;

    private Ranges(long[] starts, long[] ends) {
      this.starts = starts;
      this.ends = ends;
    }

    Ranges with(long start, long end) {
      int at = -Arrays.binarySearch(starts, start) - 1;
      return new Ranges(inserted(starts, at, start), inserted(ends, at, end));
    }

    Ranges without(int index) {
      return new Ranges(removed(starts, index), removed(ends, index));
    }

    boolean contains(long start, long end) {
      int found = Arrays.binarySearch(starts, start);
      int index = found >= 0 ? found : -found - 2;
      return index >= 0 && end <= ends[index] && start <= end;
    }

    private static long[] inserted(long[] values, int at, long value) {
      long[] more = Arrays.copyOf(values, values.length + 1);
      System.arraycopy(values, at, more, at + 1, values.length - at);
      more[at] = value;
      return more;
    }

    private static long[] removed(long[] values, int index) {
      long[] fewer = Arrays.copyOf(values, values.length - 1);
      System.arraycopy(values, index + 1, fewer, index, fewer.length - index);
      return fewer;
    }
  }

  private final CudaDevice device;
  private volatile Ranges ranges = Ranges.NONE;

  /**
   * @param device whose driver allocates
   */
  public PinnedMemory(CudaDevice device) {
    this.device = device;
  }

  public CudaDevice device() {
    return device;
  }

  @Override
  public MemorySegment allocate(long byteSize) {
    try {
      return allocatePinned(byteSize);
    } catch (CudaException failed) {
      throw new InferenceException(
          StatusCode.RESOURCE_EXHAUSTED,
          "cannot allocate " + byteSize + " bytes of page-locked memory: " + failed.getMessage(),
          failed);
    }
  }

  /** As {@link #allocate}, for callers inside the backend. */
  MemorySegment allocatePinned(long byteSize) {
    MemorySegment memory =
        device.whileCurrent(
            () -> {
              try (var arena = Arena.ofConfined()) {
                var pointer = arena.allocate(ValueLayout.ADDRESS);
                device.check(
                    "cudaHostAlloc",
                    Cudart.cudaHostAlloc(
                        pointer, Math.max(1, byteSize), Cudart.cudaHostAllocPortable()));
                // cudaHostAlloc has allocated byteSize bytes there, page-aligned.
                return CudaHandle.pointerAt(pointer).reinterpret(byteSize);
              }
            },
            this::release);
    add(memory.address(), Math.max(1, byteSize));
    return memory;
  }

  private synchronized void add(long start, long byteSize) {
    ranges = ranges.with(start, start + byteSize);
  }

  /** Whether all of {@code segment} is memory of this allocator. */
  public boolean contains(MemorySegment segment) {
    long start = segment.address();
    return segment.isNative() && ranges.contains(start, start + segment.byteSize());
  }

  /**
   * Frees a segment. An error of CUDA is logged: the caller is not the one that has caused it, and
   * has other segments to free.
   *
   * @throws IllegalArgumentException if {@code segment} is not what {@link #allocate} has returned,
   *     or has been freed
   */
  @Override
  public void free(MemorySegment segment) {
    try {
      freePinned(segment);
    } catch (CudaException failed) {
      LOG.log(System.Logger.Level.WARNING, failed.getMessage());
    }
  }

  /** As {@link #free}, for callers inside the backend. */
  void freePinned(MemorySegment segment) {
    remove(segment.address());
    release(segment);
  }

  private void release(MemorySegment segment) {
    // An error may be that of the device which this thread uses, and says nothing of ours.
    CudaDevice.requireSuccess("cudaFreeHost", Cudart.cudaFreeHost(segment));
  }

  private synchronized void remove(long start) {
    int index = Arrays.binarySearch(ranges.starts, start);
    if (index < 0) {
      throw new IllegalArgumentException("not allocated here, or freed before");
    }
    ranges = ranges.without(index);
  }
}
