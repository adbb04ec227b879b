package io.nereid.tck.echo;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.PipelinedInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Returns the inputs of a batch, {@code OUT} for {@code IN}, with two batches in flight: the work
 * is enqueued by {@code start}, as on a device, and done by {@code finish}.
 */
public final class PipelinedEchoBackend implements BackendProvider {
  @Override
  public String name() {
    return "tck_pipelined_echo";
  }

  @Override
  public Backend open(BackendContext context) {
    return new Opened();
  }

  private record Opened() implements Backend {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      return new Loaded(config);
    }

    @Override
    public void close() {}
  }

  private record Loaded(ModelConfig config) implements Model {
    @Override
    public ModelInstance open(InstanceSettings settings) {
      return new Instance(config, new ArrayDeque<>());
    }

    @Override
    public boolean fillsOutputs() {
      return true;
    }

    @Override
    public void close() {}
  }

  private record Instance(ModelConfig config, Queue<Runnable> enqueued)
      implements PipelinedInstance {
    @Override
    public int depth() {
      return 2;
    }

    @Override
    public void start(Batch batch, Results results) {
      enqueued.add(() -> copy(batch, results));
    }

    @Override
    public boolean canStart() {
      return true; // no device reads the inputs meanwhile
    }

    @Override
    public boolean isFinished() {
      return true; // as far as it can be told without a device
    }

    @Override
    public void finish() {
      enqueued.remove().run();
    }

    private void copy(Batch batch, Results results) {
      for (TensorConfig output : config.outputs()) {
        if (results.wants(output.name())) {
          Tensor all = batch.gathered(output.name().replace("OUT", "IN")).orElseThrow();
          Elements.copy(
              all.data(), results.allocateBatch(output.name(), all.dataType(), all.shape()));
        }
      }
    }

    @Override
    public void close() {}
  }
}
