package io.nereid.engine.request;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request of a client, checked as far as possible without its model. Owns the memory of its
 * inputs until {@link #takeLeases}, and the targets of its outputs, which the front end closes.
 */
public final class DecodedRequest implements AutoCloseable {
  private final String id;
  private final List<Tensor> inputs;
  private final List<OutputRequest> outputs;
  private RequestOptions options;
  private final boolean binaryByDefault;
  private List<Lease> leases;

  /** Null if the request is not traced. */
  private @Nullable RequestTrace trace;

  private boolean announced;
  private ClientKey client = ClientKey.LOCAL;

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

  /** The inputs in the order of the request; names are distinct. */
  public List<Tensor> inputs() {
    return inputs;
  }

  /** The requested outputs in order, names distinct; if empty, all outputs of the model. */
  public List<OutputRequest> outputs() {
    return outputs;
  }

  public RequestOptions options() {
    return options;
  }

  /** Adds parameters for the model; they replace others of the same name. */
  public void addParameters(Map<String, Parameter> more) {
    Map<String, Parameter> all = new HashMap<>(options.parameters());
    all.putAll(more);
    options =
        new RequestOptions(
            options.sequenceId(),
            options.sequenceStart(),
            options.sequenceEnd(),
            options.priority(),
            options.timeoutMicros(),
            all);
  }

  /** Whether outputs are sent as binary data if {@link #outputs} is empty. */
  public boolean binaryByDefault() {
    return binaryByDefault;
  }

  /** Sets what is recorded of the request; borrowed. */
  public void setTrace(@Nullable RequestTrace newTrace) {
    trace = newTrace;
  }

  /** Notes whether the engine was told of the head of the request before. */
  public void setAnnounced(boolean newAnnounced) {
    announced = newAnnounced;
  }

  /** Whether the engine was told of the head of the request. */
  public boolean isAnnounced() {
    return announced;
  }

  public void setClient(ClientKey newClient) {
    client = newClient;
  }

  /** Whose request it is; unless it was set, of a client in this process. */
  public ClientKey client() {
    return client;
  }

  /** What is recorded of the request; null if it is not traced. */
  public @Nullable RequestTrace trace() {
    return trace;
  }

  /** The memory of the inputs, borrowed. */
  public List<Lease> leases() {
    return leases;
  }

  /** Passes the memory of the inputs to the caller; {@link #close} then does nothing. */
  public List<Lease> takeLeases() {
    List<Lease> taken = leases;
    leases = List.of();
    return taken;
  }

  /** Releases all leases and closes the targets of outputs. */
  @Override
  public void close() {
    try {
      Lease.closeAll(takeLeases());
    } finally {
      OutputRequest.closeTargets(outputs);
    }
  }
}
