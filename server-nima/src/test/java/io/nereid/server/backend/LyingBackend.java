package io.nereid.server.backend;

import io.nereid.request.Parameter;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tck.echo.StatelessBackend;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;

/**
 * Returns {@code IN} as {@code OUT}, unless the request's parameter {@code lie} names a {@link
 * Lie}. With the parameter {@code silent} it does not write {@code OUT}. For zeros, which are the
 * input of a warm-up, it gives one row too many.
 */
public final class LyingBackend implements BackendProvider {
  /** The outputs of a model of this backend. */
  static final String SIGNATURE =
      """
      backend: "lying"
      max_batch_size: 8
      input { name: "IN" data_type: TYPE_INT32 dims: [ 2 ] }
      output { name: "OUT" data_type: TYPE_INT32 dims: [ 2 ] }
      output { name: "TEXT" data_type: TYPE_STRING dims: [ -1 ] }
      output { name: "FREE" data_type: TYPE_INT32 dims: [ -1, -1 ] }
      """;

  private static final Shape ONE_ROW = Shape.of(1, 2);

  @Override
  public String name() {
    return "lying";
  }

  @Override
  public Backend open(BackendContext context) {
    return new StatelessBackend(_ -> {}, LyingBackend::execute);
  }

  private static void execute(Batch batch, Results results) {
    for (int i = 0; i < batch.size(); i++) {
      var parameters = batch.request(i).options().parameters();
      if (parameters.get("lie") instanceof Parameter.OfString(String lie)) {
        Lie.valueOf(lie).tell(batch, i, results);
      } else if (parameters.containsKey("silent")) {
        results.allocate(i, "OUT", DataType.INT32, ONE_ROW, 8);
      } else if (batch.input(i, "IN").orElseThrow().data().get(Elements.INT, 0) == 0) {
        Lie.ROWS.tell(batch, i, results);
      } else {
        tellTheTruth(batch, i, results);
      }
      results.send(i);
    }
  }

  static void tellTheTruth(Batch batch, int index, Results results) {
    var in = batch.input(index, "IN").orElseThrow();
    Elements.copy(in.data(), results.allocate(index, "OUT", DataType.INT32, ONE_ROW, 8));
  }
}
