package io.nereid.tck.gate;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Returns each request's own inputs, {@code IN0} as {@code OUT0}, once the model's {@link Gate} is
 * open for the batch. {@link GateSettings} are the options of a model. The backend's option {@code
 * gpus} is the number of GPUs that it reports, 0 if not set; its instances use none.
 */
public final class GateBackend implements BackendProvider {
  /** The value of {@code backend} in a {@code config.pbtxt}. */
  public static final String NAME = "gate";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Backend open(BackendContext context) {
    return new Opened(IntStream.range(0, context.options().integer("gpus", 0)).boxed().toList());
  }

  /** The name of the input that an output shows. */
  static String inputOf(TensorConfig output) {
    return output.name().replace("OUT", "IN");
  }

  private record Opened(List<Integer> gpus) implements Backend {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      for (TensorConfig output : config.outputs()) {
        if (config.input(inputOf(output)).isEmpty()) {
          throw InferenceException.invalid(
              "model '%s': output '%s' has no input to show"
                  .formatted(config.name(), output.name()));
        }
      }
      return new Loaded(config, GateSettings.read(config), new GateFiles(files.modelDirectory()));
    }

    @Override
    public void close() {}
  }

  private record Loaded(ModelConfig config, GateSettings settings, GateFiles files)
      implements Model {
    @Override
    public ModelInstance open(InstanceSettings instance) {
      var work = new GateWork(config, settings);
      if (settings.files()) {
        return new OpenInstance(work, () -> files.pass(instance.name()));
      }
      if (settings.open()) {
        return new OpenInstance(work, () -> {});
      }
      var gate = Gate.of(config.name());
      gate.opened(instance);
      return new GatedInstance(instance.name(), config, gate, work);
    }

    @Override
    public void close() {}
  }

  /**
   * An instance that records nothing.
   *
   * @param gate run before each execution; may wait
   */
  private record OpenInstance(GateWork work, Runnable gate) implements ModelInstance {
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

  /** An instance that records each batch, waits for its gate, and then sends the replies. */
  private record GatedInstance(String name, ModelConfig config, Gate gate, GateWork work)
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
}
