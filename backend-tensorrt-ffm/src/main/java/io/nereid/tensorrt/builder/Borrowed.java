package io.nereid.tensorrt.builder;

import io.nereid.tensorrt.bindings.nvinfer.trt_Object;
import java.lang.foreign.MemorySegment;

/**
 * An object of TensorRT that belongs to another one, and is deleted with it.
 *
 * @param impl the first argument of its methods
 */
record Borrowed(MemorySegment object, MemorySegment impl) {
  /**
   * Reads an object of the API, which has two words: its own table, and the implementation.
   *
   * @param address not null
   */
  static Borrowed of(MemorySegment address) {
    MemorySegment object = address.reinterpret(trt_Object.layout().byteSize());
    return new Borrowed(object, trt_Object.impl(object));
  }
}
