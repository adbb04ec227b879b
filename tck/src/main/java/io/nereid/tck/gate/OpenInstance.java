package io.nereid.tck.gate;

import io.nereid.spi.Batch;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;

/**
 * An instance that records nothing.
 *
 * @param gate run before each execution; may wait
 */
record OpenInstance(GateWork work, Runnable gate) implements ModelInstance {
  @Override
  public void execute(Batch batch, Results results) {
    gate.run();
    work.takeTime(batch);
    work.scatter(batch, results);
    for (int index = 0; index < batch.size(); index++) {
      work.answer(batch, index, results, Reply.ECHO);
    }
  }

  @Override
  public void close() {}
}
