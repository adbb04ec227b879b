package io.nereid.engine.execution;

import io.nereid.config.InstanceSettings;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.PipelinedInstance;
import io.nereid.spi.Results;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.BooleanSupplier;

/**
 * A model whose instances keep up to {@code depth} batches in flight and do the work as they finish
 * each.
 *
 * @param complete whether the device has completed the oldest batch
 */
public record PipelinedModel(int depth, FakeModel.Work work, BooleanSupplier complete)
    implements Model {
  @Override
  public ModelInstance open(InstanceSettings settings) {
    return new Instance(depth, work, complete, settings, new ArrayDeque<>());
  }

  @Override
  public void close() {}

  private record Flight(Batch batch, Results results) {}

  private record Instance(
      int depth,
      FakeModel.Work work,
      BooleanSupplier complete,
      InstanceSettings settings,
      Queue<Flight> flights)
      implements PipelinedInstance {
    @Override
    public void start(Batch batch, Results results) {
      flights.add(new Flight(batch, results));
      if (flights.size() > depth) {
        throw new AssertionError("more batches in flight than " + depth);
      }
    }

    @Override
    public boolean canStart() {
      return true;
    }

    @Override
    public boolean isFinished() {
      return complete.getAsBoolean();
    }

    @Override
    public void finish() {
      Flight oldest = flights.remove();
      work.execute(settings, oldest.batch(), oldest.results());
    }

    @Override
    public void close() {
      if (!flights.isEmpty()) {
        throw new AssertionError("closed with batches in flight");
      }
    }
  }
}
