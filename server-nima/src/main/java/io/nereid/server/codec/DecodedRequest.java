package io.nereid.server.codec;

import io.nereid.request.RequestOptions;
import io.nereid.server.memory.Lease;
import io.nereid.tensor.Tensor;
import java.util.List;

/**
 * What a client sent, checked as far as that goes without knowing the model. Owns the memory that
 * its inputs lie in, until {@link #takeLeases} passes it on.
 */
public final class DecodedRequest implements AutoCloseable {
  private final String id;
  private final List<Tensor> inputs;
  private final List<OutputRequest> outputs;
  private final RequestOptions options;
  private final boolean binaryByDefault;
  private List<Lease> leases;

  public DecodedRequest(
      String id,
      List<Tensor> inputs,
      List<OutputRequest> outputs,
      RequestOptions options,
      boolean binaryByDefault,
      List<Lease> leases) {
    this.id = id;
    this.inputs = List.copyOf(inputs);
    this.outputs = List.copyOf(outputs);
    this.options = options;
    this.binaryByDefault = binaryByDefault;
    this.leases = leases;
  }

  /** The client's id; empty if it sent none. */
  public String id() {
    return id;
  }

  /** In the order of the request, names distinct. */
  public List<Tensor> inputs() {
    return inputs;
  }

  /** In the order of the request, names distinct; empty: all outputs of the model. */
  public List<OutputRequest> outputs() {
    return outputs;
  }

  public RequestOptions options() {
    return options;
  }

  /** Whether outputs are wanted as binary data if {@link #outputs} names none. */
  public boolean binaryByDefault() {
    return binaryByDefault;
  }

  /** The inputs' memory, which becomes the caller's: {@link #close} then does nothing. */
  public List<Lease> takeLeases() {
    List<Lease> taken = leases;
    leases = List.of();
    return taken;
  }

  /** Gives every lease back. */
  @Override
  public void close() {
    takeLeases().forEach(Lease::close);
  }
}
