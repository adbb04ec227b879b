package io.nereid.tensorrt.doubles;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import io.nereid.tensorrt.bindings.cudart.cudaMemLocation;
import io.nereid.tensorrt.bindings.cudart.cudaMemPoolProps;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/** Objects of the double of libcudart, made by calls of the bindings that check nothing. */
final class RawCuda implements AutoCloseable {
  static final int INVALID_VALUE = 1;
  static final int INVALID_HANDLE = 400;
  static final int HOST_TO_DEVICE = 1;
  static final int DEVICE_TO_HOST = 2;

  final Arena arena = Arena.ofShared();
  private final CudartDouble cuda;

  RawCuda(CudartDouble cuda) {
    this.cuda = cuda;
  }

  static void ok(int status) {
    assertThat(status).isZero();
  }

  static MemorySegment pointer(MemorySegment out) {
    return MemorySegment.ofAddress(out.get(ADDRESS, 0).address());
  }

  static MemorySegment at(MemorySegment start, long offset) {
    return MemorySegment.ofAddress(start.address() + offset);
  }

  MemorySegment ints(int... values) {
    return arena.allocateFrom(JAVA_INT, values);
  }

  MemorySegment malloc(long size) {
    var out = arena.allocate(ADDRESS);
    ok(Cudart.cudaMalloc(out, size));
    return pointer(out);
  }

  MemorySegment hostAlloc(long size) {
    var out = arena.allocate(ADDRESS);
    ok(Cudart.cudaHostAlloc(out, size, 1));
    return pointer(out).reinterpret(size);
  }

  MemorySegment stream() {
    var out = arena.allocate(ADDRESS);
    ok(Cudart.cudaStreamCreateWithPriority(out, 1, 0));
    return pointer(out);
  }

  MemorySegment event() {
    var out = arena.allocate(ADDRESS);
    ok(Cudart.cudaEventCreateWithFlags(out, 2));
    return pointer(out);
  }

  MemorySegment pool() {
    var properties = cudaMemPoolProps.allocate(arena);
    cudaMemPoolProps.allocType(properties, 1);
    cudaMemLocation.type(cudaMemPoolProps.location(properties), 1);
    var out = arena.allocate(ADDRESS);
    ok(Cudart.cudaMemPoolCreate(out, properties));
    return pointer(out);
  }

  static void destroy(MemorySegment... streams) {
    for (MemorySegment stream : streams) {
      ok(Cudart.cudaStreamSynchronize(stream));
      ok(Cudart.cudaStreamDestroy(stream));
    }
  }

  /** Expects these violations, by a part of their texts, and forgets them. */
  void assertViolations(String... parts) {
    List<String> violations = cuda.violations();
    assertThat(violations).hasSameSizeAs(parts);
    for (int i = 0; i < parts.length; i++) {
      assertThat(violations.get(i)).contains(parts[i]);
    }
    cuda.forgetViolations();
  }

  /** A function that the double exports beside those of CUDA. */
  MethodHandle control(String name, FunctionDescriptor type) {
    return Linker.nativeLinker().downcallHandle(cuda.library().findOrThrow(name), type);
  }

  @Override
  public void close() {
    arena.close();
  }
}
