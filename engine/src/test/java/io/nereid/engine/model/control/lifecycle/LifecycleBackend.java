package io.nereid.engine.model.control.lifecycle;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.engine.model.control.lifecycle.ModelLoads.Copy;
import io.nereid.engine.model.control.lifecycle.ModelLoads.Point;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tck.gate.GateBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Executes as the backend {@code gate} does, and reports to the model's {@link ModelLoads}, which
 * can hold or fail each of its calls.
 */
public final class LifecycleBackend implements BackendProvider {
  static final String NAME = "lifecycle";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Backend open(BackendContext context) {
    return new Opened(new GateBackend().open(context));
  }

  private record Opened(Backend gate) implements Backend {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      var loads = ModelLoads.of(config.name());
      Copy copy = loads.begin(files.modelDirectory(), files.version());
      loads.reach(Point.LOAD, files.version());
      Model model = gate.load(files, config);
      copy.loaded();
      return new Loaded(copy, loads, model);
    }

    @Override
    public void close() {
      gate.close();
    }
  }

  private record Loaded(Copy copy, ModelLoads loads, Model model) implements Model {
    @Override
    public Optional<HostAllocator> inputAllocator() {
      loads.reach(Point.ALLOCATOR, copy.version());
      return model.inputAllocator();
    }

    @Override
    public ModelInstance open(InstanceSettings settings) {
      loads.reach(Point.OPEN, copy.version());
      copy.opened();
      return new Instance(copy, loads, model.open(settings));
    }

    @Override
    public void close() {
      copy.closed();
      loads.reach(Point.CLOSE, copy.version());
    }
  }

  private record Instance(Copy copy, ModelLoads loads, ModelInstance instance)
      implements ModelInstance {
    @Override
    public void execute(Batch batch, Results results) {
      List<String> ids = new ArrayList<>();
      for (int index = 0; index < batch.size(); index++) {
        ids.add(batch.request(index).id());
      }
      copy.executes(ids);
      loads.reach(Point.EXECUTE, copy.version());
      instance.execute(batch, results);
    }

    @Override
    public boolean isHealthy() {
      return loads.isHealthy();
    }

    @Override
    public Optional<String> failureReason() {
      return loads.failureReason();
    }

    @Override
    public void close() {
      instance.close();
      copy.instanceClosed();
      loads.reach(Point.CLOSE_INSTANCE, copy.version());
    }
  }
}
