package io.nereid.engine;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.request.InferenceRequest;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.BatchingStrategy;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.PipelinedInstance;
import io.nereid.spi.Results;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Records which threads call it. Its model {@code piped} has a pipelined instance, any other a
 * batching strategy; both respond without outputs, and fail requests with the id {@code fail}.
 */
public final class RecordedBackend implements BackendProvider {
  /** The interfaces whose calls are recorded. */
  static final List<Class<?>> TYPES =
      List.of(
          Backend.class,
          Model.class,
          ModelInstance.class,
          PipelinedInstance.class,
          BatchingStrategy.class);

  /** The names of the threads by call, such as {@code Model.open}. */
  static final Map<String, Set<String>> THREADS = new ConcurrentHashMap<>();

  @Override
  public String name() {
    return "recorded";
  }

  @Override
  public Backend open(BackendContext context) {
    return recorded(Backend.class, new Opened());
  }

  private static <T> T recorded(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              Class<?> declaring = method.getDeclaringClass();
              if (TYPES.contains(declaring)) {
                THREADS
                    .computeIfAbsent(
                        declaring.getSimpleName() + "." + method.getName(),
                        _ -> ConcurrentHashMap.newKeySet())
                    .add(Thread.currentThread().getName());
              }
              try {
                return method.invoke(target, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            }));
  }

  private static void run(Batch batch) {
    if (batch.request(0).id().equals("fail")) {
      throw new IllegalStateException("of a test");
    }
  }

  private static final class Opened implements Backend {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      return recorded(Model.class, new Loaded(config.name().equals("piped")));
    }

    @Override
    public void close() {}
  }

  private record Loaded(boolean pipelined) implements Model {
    @Override
    public ModelInstance open(InstanceSettings settings) {
      return pipelined
          ? recorded(PipelinedInstance.class, new Piped())
          : recorded(ModelInstance.class, new Serial());
    }

    @Override
    public Optional<BatchingStrategy> batchingStrategy() {
      return pipelined
          ? Optional.empty()
          : Optional.of(recorded(BatchingStrategy.class, new Together()));
    }

    @Override
    public void close() {}
  }

  private static final class Together implements BatchingStrategy {
    @Override
    public void begin(InferenceRequest first) {}

    @Override
    public boolean includes(InferenceRequest next) {
      return true;
    }
  }

  private static final class Serial implements ModelInstance {
    @Override
    public void execute(Batch batch, Results results) {
      run(batch);
    }

    @Override
    public void close() {}
  }

  private static final class Piped implements PipelinedInstance {
    @Override
    public int depth() {
      return 2;
    }

    @Override
    public void start(Batch batch, Results results) {
      run(batch);
    }

    @Override
    public boolean canStart() {
      return true;
    }

    @Override
    public boolean isFinished() {
      return true;
    }

    @Override
    public void finish() {}

    @Override
    public void close() {}
  }
}
