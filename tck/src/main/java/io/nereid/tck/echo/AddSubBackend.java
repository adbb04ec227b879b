package io.nereid.tck.echo;

import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.util.function.IntBinaryOperator;

/**
 * Adds and subtracts INT32 tensors: {@code OUTPUT0 = INPUT0 + INPUT1}, {@code OUTPUT1 = INPUT0 -
 * INPUT1}. Works on all rows of a batch at once, where {@link EchoBackend} goes request by request.
 */
public final class AddSubBackend implements BackendProvider {
  @Override
  public String name() {
    return "tck_add_sub";
  }

  @Override
  public Backend open(BackendContext context) {
    return new StatelessBackend(_ -> {}, AddSubBackend::execute);
  }

  private static void execute(Batch batch, Results results) {
    var left = batch.gathered("INPUT0").orElseThrow();
    var right = batch.gathered("INPUT1").orElseThrow();
    write(results, "OUTPUT0", left, right, (a, b) -> a + b);
    write(results, "OUTPUT1", left, right, (a, b) -> a - b);
  }

  private static void write(
      Results results, String output, Tensor left, Tensor right, IntBinaryOperator operator) {
    if (!results.wants(output)) {
      return;
    }
    var target = results.allocateBatch(output, DataType.INT32, left.shape());
    for (long offset = 0; offset < left.byteSize(); offset += Integer.BYTES) {
      int a = left.data().get(Elements.INT, offset);
      int b = right.data().get(Elements.INT, offset);
      target.set(Elements.INT, offset, operator.applyAsInt(a, b));
    }
  }
}
