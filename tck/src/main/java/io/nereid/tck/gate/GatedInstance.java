package io.nereid.tck.gate;

import io.nereid.config.ModelConfig;
import io.nereid.spi.Batch;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;

/** An instance that records each batch, waits for its gate, and then sends the replies. */
record GatedInstance(String name, ModelConfig config, Gate gate, GateWork work)
    implements ModelInstance {
  @Override
  public void execute(Batch batch, Results results) {
    Execution execution =
        gate.enter(number -> Execution.read(number, name, config, batch, results));
    try {
      work.takeTime(batch);
      work.scatter(batch, results);
      for (int index = 0; index < batch.size(); index++) {
        ExecutedRequest request = execution.requests().get(index);
        Reply reply = gate.replyTo(request.id());
        if (gate.timesBegun(request.id()) <= reply.reschedules()) {
          results.reschedule(index);
        } else if (!request.padding()) {
          work.answer(batch, index, results, reply);
        }
      }
      gate.awaitRelease(execution);
    } finally {
      gate.leave(execution);
    }
  }

  @Override
  public void close() {}
}
