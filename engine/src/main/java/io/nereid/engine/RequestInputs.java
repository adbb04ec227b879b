package io.nereid.engine;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.OutputRequest;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The inputs of a program's request as an engine takes them. */
final class RequestInputs {
  /** Stands for the threads of instances: memory that is confined to a thread is not theirs. */
  private static final Thread ANOTHER = Thread.ofPlatform().unstarted(() -> {});

  private RequestInputs() {}

  /**
   * The request; inputs that an instance cannot read where they lie are copied.
   *
   * @param pool memory of the copies
   */
  static DecodedRequest decode(ModelRequest request, BufferPool pool) {
    List<Lease> leases = new ArrayList<>();
    try {
      List<Tensor> inputs =
          request.inputs().stream().map(input -> readable(input, pool, leases)).toList();
      return new DecodedRequest(
          request.id(),
          inputs,
          request.outputs().stream().map(name -> new OutputRequest(name, true, 0)).toList(),
          request.options(),
          /* binaryByDefault= */ true,
          leases);
    } catch (RuntimeException | Error noMemory) {
      leases.forEach(Lease::close);
      throw noMemory;
    }
  }

  private static Tensor readable(Tensor input, BufferPool pool, List<Lease> leases) {
    MemorySegment data = input.data();
    long alignment = Math.max(1, input.dataType().byteSize());
    if (data.isNative() && data.address() % alignment == 0 && data.isAccessibleBy(ANOTHER)) {
      return input;
    }
    Lease lease = pool.lease(data.byteSize());
    leases.add(lease);
    Elements.copy(data, lease.segment());
    return new Tensor(input.name(), input.dataType(), input.shape(), lease.segment());
  }
}
