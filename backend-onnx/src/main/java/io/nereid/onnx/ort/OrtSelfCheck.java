package io.nereid.onnx.ort;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Proves on a just loaded library that entries of the table are where we count them: a status, the
 * provider list and a tensor with known contents go through the first and the last positions used.
 */
final class OrtSelfCheck {
  private static final int FLOAT = 1;

  private OrtSelfCheck() {}

  /**
   * @throws IllegalArgumentException if an answer is not the one expected
   */
  static void run(OrtApi api) {
    expect(
        new OrtStatus(OrtStatus.INVALID_ARGUMENT, "probe"),
        api.echo(OrtStatus.INVALID_ARGUMENT, "probe"));
    expect(true, api.availableProviders().contains("CPUExecutionProvider"));
    try (var arena = Arena.ofConfined();
        var memory =
            new NativeHandle(
                api,
                NativeHandle.Kind.MEMORY_INFO,
                api.create(OrtApi.CREATE_CPU_MEMORY_INFO, 0, 0));
        var value = new NativeHandle(api, NativeHandle.Kind.VALUE)) {
      MemorySegment data = arena.allocate(24, 64);
      MemorySegment dims = arena.allocateFrom(JAVA_LONG, 2, 3);
      MemorySegment out = arena.allocate(ADDRESS);
      api.createTensor(
          memory.address(), data.address(), 24, dims.address(), 2, FLOAT, out.address());
      value.replace(out.get(JAVA_LONG, 0));
      expect(24L, api.create(OrtApi.GET_TENSOR_SIZE_IN_BYTES, value.address()));
      expect(data.address(), api.create(OrtApi.GET_TENSOR_MUTABLE_DATA, value.address()));

      MemorySegment type = arena.allocate(JAVA_INT);
      MemorySegment rank = arena.allocate(JAVA_LONG);
      api.call(
          OrtApi.GET_TENSOR_ELEMENT_TYPE_AND_SHAPE_DATA_REFERENCE,
          value.address(),
          type.address(),
          out.address(),
          rank.address());
      expect(FLOAT, type.get(JAVA_INT, 0));
      expect(2L, rank.get(JAVA_LONG, 0));
      // "const int64_t** shape_data": as many as the rank
      MemorySegment shape = out.get(ADDRESS, 0).reinterpret(2 * JAVA_LONG.byteSize());
      expect(3L, shape.getAtIndex(JAVA_LONG, 1));
    }
  }

  private static void expect(Object expected, Object actual) {
    if (!expected.equals(actual)) {
      throw new IllegalArgumentException(
          "its function table is not the one of ONNX Runtime 1.%d: expected %s, got %s"
              .formatted(OrtApi.VERSION, expected, actual));
    }
  }
}
