package io.nereid.onnx.ort;

import java.util.concurrent.atomic.LongAdder;

/**
 * The owner of a native object. ONNX Runtime does not check pointers, so using an object after its
 * release crashes the process. Every call therefore gets its pointer from {@link #address()}, which
 * throws after the release.
 *
 * <p>Any thread may read a handle; only one thread at a time may replace or close it.
 */
final class OrtHandle implements AutoCloseable {
  /** The type of the object, with the function that releases it. */
  enum Kind {
    ENVIRONMENT(OrtApi.RELEASE_ENV),
    THREADING_OPTIONS(OrtApi.RELEASE_THREADING_OPTIONS),
    MEMORY_INFO(OrtApi.RELEASE_MEMORY_INFO),
    SESSION_OPTIONS(OrtApi.RELEASE_SESSION_OPTIONS),
    SESSION(OrtApi.RELEASE_SESSION),
    RUN_OPTIONS(OrtApi.RELEASE_RUN_OPTIONS),
    VALUE(OrtApi.RELEASE_VALUE),
    TYPE_INFO(OrtApi.RELEASE_TYPE_INFO),
    CUDA_OPTIONS(OrtApi.RELEASE_CUDA_OPTIONS),
    TENSORRT_OPTIONS(OrtApi.RELEASE_TENSORRT_OPTIONS);

    private final int release;

    Kind(int release) {
      this.release = release;
    }
  }

  private static final LongAdder OPEN = new LongAdder();

  private final OrtApi api;
  private final Kind kind;
  private volatile long address;

  /** A handle without an object. */
  OrtHandle(OrtApi api, Kind kind) {
    this.api = api;
    this.kind = kind;
  }

  /** Takes the object at {@code address}. */
  OrtHandle(OrtApi api, Kind kind, long address) {
    this(api, kind);
    replace(address);
  }

  /** The number of native objects in this process that are not released. */
  static long open() {
    return OPEN.sum();
  }

  /**
   * The pointer to the object, for use in one call.
   *
   * @throws IllegalStateException if there is no object, or it has been released
   */
  long address() {
    long current = address;
    if (current == 0) {
      throw closed();
    }
    return current;
  }

  void requireOpen() {
    if (address == 0) {
      throw closed();
    }
  }

  private IllegalStateException closed() {
    return new IllegalStateException("ONNX Runtime object is closed: " + kind);
  }

  boolean isOpen() {
    return address != 0;
  }

  /** Releases the current object, if there is one, and takes {@code next}. */
  void replace(long next) {
    long former = address;
    address = next;
    if (next != 0) {
      OPEN.increment();
    }
    if (former != 0) {
      api.release(kind.release, former);
      OPEN.decrement();
    }
  }

  /** Passes ownership of the object to the caller. */
  long take() {
    long taken = address();
    address = 0;
    OPEN.decrement();
    return taken;
  }

  /** Releases the object. Has no effect if there is none. */
  @Override
  public void close() {
    replace(0);
  }
}
