package io.nereid.tensorrt.engine;

import io.nereid.tensorrt.bindings.nvinfer.trt_Implementation;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The addresses of an object's methods.
 *
 * @param layout that of the loaded major version; entries behind the last one of its minor version
 *     are not there
 */
public record MethodTable(MemorySegment entries, MemoryLayout layout) {
  /**
   * The table of an implementation.
   *
   * @param impl the first argument of the methods
   */
  public static MethodTable of(
      MemorySegment impl, TensorRtVersion version, MemoryLayout of10, MemoryLayout of11) {
    MemorySegment words = impl.reinterpret(trt_Implementation.layout().byteSize());
    return at(trt_Implementation.table(words), version, of10, of11);
  }

  /** The table at an address. */
  public static MethodTable at(
      MemorySegment address, TensorRtVersion version, MemoryLayout of10, MemoryLayout of11) {
    MemoryLayout layout = version.major() == 10 ? of10 : of11;
    return new MethodTable(address.reinterpret(layout.byteSize()), layout);
  }

  /** The address of a method, by its name in the layout. */
  public MemorySegment method(String name) {
    return entries.get(ValueLayout.ADDRESS, layout.byteOffset(PathElement.groupElement(name)));
  }
}
