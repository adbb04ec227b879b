package io.nereid.server.codec.json.text;

import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.OutputRequest;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client asks a text model.
 *
 * @param texts in the order of the body, which holds them
 * @param queries one for each text, or one for all; null if the API has none
 * @param parameters for the model
 */
public record TextQuestion(
    TextList texts,
    @Nullable TextList queries,
    Map<String, Parameter> parameters,
    TextAnswer answer) {
  /**
   * The request of the v2 protocol that has all texts as its batch.
   *
   * @param memory of its tensors
   */
  public DecodedRequest decoded(ServedTextModel model, TextLimits limits, LeaseSource memory) {
    long queryBytes = queries == null ? 0 : queries.byteSize() * (texts.count() / queries.count());
    limits.requireBytes(texts.byteSize() + queryBytes);
    List<Lease> leases = new ArrayList<>(2);
    try {
      List<Tensor> inputs = new ArrayList<>(2);
      Shape shape = model.config().batches() ? Shape.of(texts.count(), 1) : Shape.of(1);
      if (queries != null) {
        MemorySegment target = leased(queryBytes, memory, leases);
        queries.write(target);
        repeat(target, queries.byteSize());
        inputs.add(new Tensor(ServedTextModel.QUERY, DataType.BYTES, shape, target));
      }
      MemorySegment target = leased(texts.byteSize(), memory, leases);
      texts.write(target);
      inputs.add(new Tensor(ServedTextModel.TEXT, DataType.BYTES, shape, target));
      var options = new RequestOptions(SequenceId.NONE, false, false, 0, 0, parameters);
      List<OutputRequest> outputs =
          answer.outputs(model).stream().map(name -> new OutputRequest(name, true, 0)).toList();
      return new DecodedRequest("", inputs, outputs, options, true, leases);
    } catch (Throwable thrown) {
      Lease.closeAll(leases);
      throw thrown;
    }
  }

  private static MemorySegment leased(long byteSize, LeaseSource memory, List<Lease> leases) {
    Lease lease = memory.lease(byteSize);
    leases.add(lease); // has room
    return lease.segment();
  }

  /** Fills a segment with what its beginning has. */
  private static void repeat(MemorySegment target, long byteSize) {
    for (long at = byteSize; at < target.byteSize(); at += byteSize) {
      MemorySegment.copy(target, 0, target, at, byteSize);
    }
  }

  /** The bytes of the texts without their lengths. */
  public long textBytes() {
    return texts.byteSize() - (long) BytesElements.PREFIX * texts.count();
  }
}
