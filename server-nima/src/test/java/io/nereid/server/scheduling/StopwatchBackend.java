package io.nereid.server.scheduling;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A backend that delegates to the one named by a model's parameter {@code of}, and records the
 * times of its executions. The records are static, so one test may use it at a time.
 */
public final class StopwatchBackend implements BackendProvider {
  /** The executions that have begun, until a test removes them. */
  static final BlockingQueue<Run> BEGUN = new LinkedBlockingQueue<>();

  /** The executions that have ended, until a test removes them. */
  static final BlockingQueue<Run> ENDED = new LinkedBlockingQueue<>();

  /**
   * One execution of one request.
   *
   * @param nanos its start or end, of {@link System#nanoTime}
   */
  record Run(String requestId, long nanos) {}

  @Override
  public String name() {
    return "stopwatch";
  }

  @Override
  public Backend open(BackendContext context) {
    return new Opened(context, new ConcurrentHashMap<>());
  }

  private record Opened(BackendContext context, Map<String, Backend> opened) implements Backend {
    private Backend backend(ModelConfig config) {
      return opened.computeIfAbsent(config.parameters().get("of"), this::open);
    }

    private Backend open(String name) {
      return ServiceLoader.load(BackendProvider.class, BackendProvider.class.getClassLoader())
          .stream()
          .map(ServiceLoader.Provider::get)
          .filter(provider -> provider.name().equals(name))
          .findFirst()
          .orElseThrow()
          .open(context);
    }

    @Override
    public ModelConfig complete(ModelFiles files, ModelConfig config) {
      return backend(config).complete(files, config);
    }

    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      return new Timed(backend(config).load(files, config));
    }

    @Override
    public void close() {
      opened.values().forEach(Backend::close);
    }
  }

  private record Timed(Model model) implements Model {
    @Override
    public ModelInstance open(InstanceSettings settings) {
      return new TimedInstance(model.open(settings));
    }

    @Override
    public void close() {
      model.close();
    }
  }

  private record TimedInstance(ModelInstance instance) implements ModelInstance {
    @Override
    public void execute(Batch batch, Results results) {
      record(BEGUN, batch);
      try {
        instance.execute(batch, results);
      } finally {
        record(ENDED, batch);
      }
    }

    private static void record(BlockingQueue<Run> runs, Batch batch) {
      long now = System.nanoTime();
      for (int i = 0; i < batch.size(); i++) {
        runs.add(new Run(batch.request(i).id(), now));
      }
    }

    @Override
    public void close() {
      instance.close();
    }
  }
}
