package io.nereid.onnx.ort;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A check of a newly loaded library that the function table has the expected layout. It passes a
 * status, the list of providers and a tensor with known contents through the first and last
 * positions in use.
 */
final class OrtSelfCheck {
  private static final int FLOAT = 1;

  private OrtSelfCheck() {}

  /**
   * @throws IllegalArgumentException if a function returns an unexpected result
   */
  static void run(OrtApi api) {
    OrtException status = api.createStatus(OrtException.INVALID_ARGUMENT, "probe");
    expect("onnx runtime error 2: probe", String.valueOf(status.getMessage()));
    expect(true, api.availableProviders().contains("CPUExecutionProvider"));
    try (var arena = Arena.ofConfined();
        var memory =
            new OrtHandle(
                api, OrtHandle.Kind.MEMORY_INFO, api.create(OrtApi.CREATE_CPU_MEMORY_INFO, 0, 0));
        var value = new OrtHandle(api, OrtHandle.Kind.VALUE)) {
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
