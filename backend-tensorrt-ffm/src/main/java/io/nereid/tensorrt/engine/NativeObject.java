package io.nereid.tensorrt.engine;

import io.nereid.tensorrt.bindings.nvinfer.trt_Object;
import io.nereid.tensorrt.bindings.nvinfer.trt_ObjectTable;
import io.nereid.tensorrt.bindings.nvinfer.trt_delete;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The owner of one object of TensorRT. The library does not check pointers, so using an object
 * after its deletion crashes the process. Every call therefore gets its pointer from {@link #impl},
 * which throws after the deletion, and an object cannot be closed while those made from it are
 * open.
 *
 * <p>Any thread may read it; one thread closes it.
 */
public final class NativeObject implements AutoCloseable {
  /** Addresses below are null: a factory of TensorRT 10.15.1 returns 0x238 where it means null. */
  private static final long LOWEST_ADDRESS = 64 << 10;

  private static final int CLOSED = -1;

  /**
   * For writing while an object is deleted, for reading while a context is created. "TensorRT
   * objects are not thread-safe" (Developer Guide, Thread Safety); several threads may create
   * contexts of an engine at a time, and nothing is said of deletions.
   */
  private static final ReentrantReadWriteLock DELETIONS = new ReentrantReadWriteLock();

  private static final LongAdder OPEN = new LongAdder();

  private final String type;
  private final MemorySegment object;
  private final MemorySegment impl;
  private final @Nullable NativeObject parent;

  /** The number of open objects that were made from this one, or {@link #CLOSED}. */
  private final AtomicInteger children = new AtomicInteger();

  private NativeObject(String type, MemorySegment object, @Nullable NativeObject parent) {
    this.type = type;
    this.object = object;
    this.impl = trt_Object.impl(object);
    this.parent = parent;
  }

  /** Creates an object that shares its parent with others, which are not deleted meanwhile. */
  static MemorySegment create(Supplier<MemorySegment> call) {
    DELETIONS.readLock().lock();
    try {
      return call.get();
    } finally {
      DELETIONS.readLock().unlock();
    }
  }

  /**
   * Takes the object at {@code address}, which must not be null.
   *
   * @param type TensorRT's name of its class
   * @param parent the object that must be closed later; null if there is none
   */
  public static NativeObject take(
      String type, MemorySegment address, @Nullable NativeObject parent) {
    // An object of the API has two words: its own table, and the pointer to the implementation.
    MemorySegment words = address.reinterpret(trt_Object.layout().byteSize());
    var taken = new NativeObject(type, words, parent);
    if (parent != null) {
      parent.retain();
    }
    OPEN.increment();
    return taken;
  }

  /** Whether an address that TensorRT returned stands for null. */
  public static boolean isNull(MemorySegment address) {
    return Long.compareUnsigned(address.address(), LOWEST_ADDRESS) < 0;
  }

  /** The number of objects in this process that are not closed. */
  public static long open() {
    return OPEN.sum();
  }

  /**
   * The first argument of the methods, for use in one call.
   *
   * @throws IllegalStateException if the object is closed
   */
  public MemorySegment impl() {
    if (children.get() == CLOSED) {
      throw closed();
    }
    return impl;
  }

  /**
   * The object itself, for a method that takes it as an argument.
   *
   * @throws IllegalStateException if the object is closed
   */
  public MemorySegment address() {
    if (children.get() == CLOSED) {
      throw closed();
    }
    return object;
  }

  private IllegalStateException closed() {
    return new IllegalStateException(type + " is closed");
  }

  private void retain() {
    children.updateAndGet(count -> {
      if (count == CLOSED) {
        throw closed();
      }
      return count + 1;
    });
  }

  private void release() {
    children.decrementAndGet();
  }

  /**
   * Deletes the object. Has no effect if it is closed.
   *
   * @throws IllegalStateException if an object that was made from it is open
   */
  @Override
  public void close() {
    if (!children.compareAndSet(0, CLOSED)) {
      int open = children.get();
      if (open > 0) {
        throw new IllegalStateException(
            "%s has %d open objects that were made from it".formatted(type, open));
      }
      return;
    }
    MemorySegment table = trt_Object.table(object).reinterpret(trt_ObjectTable.layout().byteSize());
    DELETIONS.writeLock().lock();
    try {
      trt_delete.invoke(trt_ObjectTable.deletingDestructor(table), object);
    } finally {
      DELETIONS.writeLock().unlock();
    }
    OPEN.decrement();
    if (parent != null) {
      parent.release();
    }
  }
}
