package io.nereid.onnx.ort;

import java.util.concurrent.atomic.LongAdder;

/**
 * The one owner of a native object. ONNX Runtime does not check its handles: one that is used after
 * its release takes the process down. So every call asks for {@link #address()}, and a handle that
 * holds nothing any more throws instead.
 *
 * <p>Readable from any thread; replaced and closed by one.
 */
final class NativeHandle implements AutoCloseable {
  /** What is owned, and the entry of the table that releases it. */
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

  /** A handle that owns nothing yet. */
  NativeHandle(OrtApi api, Kind kind) {
    this.api = api;
    this.kind = kind;
  }

  /** Takes the object at {@code address}. */
  NativeHandle(OrtApi api, Kind kind, long address) {
    this(api, kind);
    replace(address);
  }

  /** The number of native objects that are owned and not released: 0 when all is closed. */
  static long open() {
    return OPEN.sum();
  }

  /**
   * The object, for the length of one call.
   *
   * @throws IllegalStateException if it has been released
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

  /** Releases what is owned, if anything, and takes {@code next}. */
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

  /** Gives up ownership: the caller releases the object. */
  long take() {
    long taken = address();
    address = 0;
    OPEN.decrement();
    return taken;
  }

  /** Releases the object; nothing if that has happened. */
  @Override
  public void close() {
    replace(0);
  }
}
