package @package@;

import io.nereid.spi.Batch;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** One copy of a model. One thread makes all calls, so fields need no lock. */
record @Class@Instance(@Class@Model model) implements ModelInstance {
  @Override
  public void execute(Batch batch, Results results) {
    if (!results.wants(model.output())) {
      return;
    }
    // The rows of all requests, one after the other, as one tensor; and so is the output.
    Tensor input = batch.gathered(model.input()).orElseThrow();
    MemorySegment output =
        results.allocateBatch(model.output(), input.dataType(), input.shape());
    for (long at = 0; at < input.byteSize(); at += Float.BYTES) {
      output.set(Elements.FLOAT, at, input.data().get(Elements.FLOAT, at) * model.factor());
    }
  }

  @Override
  public void close() {}
}
