package io.nereid.onnx.ort;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.nereid.tensor.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A loaded model. Any thread may read its description; each thread that runs the model opens an
 * {@link OrtRun}.
 */
public final class OrtSession implements AutoCloseable {
  private static final int TENSOR = 1; // ONNX_TYPE_TENSOR

  private final OrtEnvironment environment;
  private final OrtHandle session;
  private final List<OrtTensorInfo> inputs;
  private final List<OrtTensorInfo> initializers;
  private final List<OrtTensorInfo> outputs;

  private OrtSession(OrtEnvironment environment, OrtHandle session) {
    this.environment = environment;
    this.session = session;
    this.inputs =
        describe(
            OrtApi.SESSION_GET_INPUT_COUNT,
            OrtApi.SESSION_GET_INPUT_NAME,
            OrtApi.SESSION_GET_INPUT_TYPE_INFO);
    this.initializers =
        describe(
            OrtApi.SESSION_GET_OVERRIDABLE_INITIALIZER_COUNT,
            OrtApi.SESSION_GET_OVERRIDABLE_INITIALIZER_NAME,
            OrtApi.SESSION_GET_OVERRIDABLE_INITIALIZER_TYPE_INFO);
    this.outputs =
        describe(
            OrtApi.SESSION_GET_OUTPUT_COUNT,
            OrtApi.SESSION_GET_OUTPUT_NAME,
            OrtApi.SESSION_GET_OUTPUT_TYPE_INFO);
  }

  static OrtSession open(OrtEnvironment environment, Path model, OrtSessionOptions options) {
    OrtApi api = environment.api();
    try (var arena = Arena.ofConfined()) {
      long address =
          api.create(
              OrtApi.CREATE_SESSION,
              environment.address(),
              OrtApi.path(arena, model.toString()).address(),
              options.address());
      var handle = new OrtHandle(api, OrtHandle.Kind.SESSION, address);
      environment.sessionOpened();
      try {
        return new OrtSession(environment, handle);
      } catch (RuntimeException failure) {
        handle.close();
        environment.sessionClosed();
        throw failure;
      }
    }
  }

  /** The inputs that every run needs, in the order of the file. */
  public List<OrtTensorInfo> inputs() {
    return inputs;
  }

  /** The optional inputs, which have a default value in the file. */
  public List<OrtTensorInfo> initializers() {
    return initializers;
  }

  /** The outputs, in the order of the file. */
  public List<OrtTensorInfo> outputs() {
    return outputs;
  }

  /** Opens a run for the calling thread, which must close it before the session is closed. */
  public OrtRun openRun() {
    return new OrtRun(this);
  }

  OrtEnvironment environment() {
    return environment;
  }

  long address() {
    return session.address();
  }

  void requireOpen() {
    session.requireOpen();
  }

  @Override
  public void close() {
    if (session.isOpen()) {
      session.close();
      environment.sessionClosed();
    }
  }

  private List<OrtTensorInfo> describe(int countEntry, int nameEntry, int typeEntry) {
    OrtApi api = environment.api();
    long count = api.create(countEntry, address());
    long allocator = api.create(OrtApi.GET_ALLOCATOR_WITH_DEFAULT_OPTIONS);
    var infos = new ArrayList<OrtTensorInfo>();
    for (long i = 0; i < count; i++) {
      long text = api.create(nameEntry, address(), i, allocator);
      String name = OrtApi.text(text);
      api.call(OrtApi.ALLOCATOR_FREE, allocator, text);
      long type = api.create(typeEntry, address(), i);
      try (var info = new OrtHandle(api, OrtHandle.Kind.TYPE_INFO, type)) {
        infos.add(describe(api, name, info.address()));
      }
    }
    return List.copyOf(infos);
  }

  private static OrtTensorInfo describe(OrtApi api, String name, long typeInfo) {
    if (api.create(OrtApi.GET_ONNX_TYPE_FROM_TYPE_INFO, typeInfo) != TENSOR) {
      return new OrtTensorInfo(name, OrtTensorInfo.NOT_A_TENSOR, false, Shape.of(), List.of());
    }
    // "Do not free the returned value, it will be valid for the life of type_info"
    long info = api.create(OrtApi.CAST_TYPE_INFO_TO_TENSOR_INFO, typeInfo);
    int elementType = (int) api.create(OrtApi.GET_TENSOR_ELEMENT_TYPE, info);
    boolean hasRank = api.is(OrtApi.TENSOR_TYPE_AND_SHAPE_HAS_SHAPE, info);
    int rank = Math.toIntExact(api.create(OrtApi.GET_DIMENSIONS_COUNT, info));
    try (var arena = Arena.ofConfined()) {
      MemorySegment dims = arena.allocate(JAVA_LONG, Math.max(1, rank));
      MemorySegment symbols = arena.allocate(ADDRESS, Math.max(1, rank));
      api.call(OrtApi.GET_DIMENSIONS, info, dims.address(), rank);
      api.call(OrtApi.GET_SYMBOLIC_DIMENSIONS, info, symbols.address(), rank);
      var sizes = new ArrayList<Long>(rank);
      var names = new ArrayList<String>(rank);
      for (int d = 0; d < rank; d++) {
        sizes.add(dims.getAtIndex(JAVA_LONG, d));
        names.add(OrtApi.text(symbols.getAtIndex(ADDRESS, d).address()));
      }
      return new OrtTensorInfo(name, elementType, hasRank, Shape.of(sizes), names);
    }
  }
}
