package io.nereid.engine;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.OutputRequest;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The inputs of a program's request as an engine takes them: copied, since a request that is
 * cancelled may still be executed when its caller has the outcome, and frees its memory.
 */
final class RequestInputs {
  private RequestInputs() {}

  /**
   * The request.
   *
   * @param pool memory of the copies
   */
  static DecodedRequest copy(ModelRequest request, BufferPool pool) {
    List<Lease> leases = new ArrayList<>(request.inputs().size());
    List<Tensor> inputs = new ArrayList<>(request.inputs().size());
    try {
      for (Tensor input : request.inputs()) {
        Lease lease = pool.lease(input.byteSize());
        leases.add(lease);
        Elements.copy(input.data(), lease.segment());
        inputs.add(new Tensor(input.name(), input.dataType(), input.shape(), lease.segment()));
      }
      return new DecodedRequest(
          request.id(),
          inputs,
          request.outputs().stream().map(name -> new OutputRequest(name, true, 0)).toList(),
          request.options(),
          /* binaryByDefault= */ true,
          leases);
    } catch (RuntimeException | Error failed) {
      Lease.closeAll(leases);
      throw failed;
    }
  }
}
