package io.nereid.tck.gate;

import io.nereid.spi.Batch;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;

/** An instance without gate: it answers at once, and records nothing. */
record OpenInstance(GateWork work) implements ModelInstance {
  @Override
  public void execute(Batch batch, Results results) {
    work.takeTime(batch);
    work.scatter(batch, results);
    for (int index = 0; index < batch.size(); index++) {
      work.answer(batch, index, results, Reply.ECHO);
    }
  }

  @Override
  public void close() {}
}
