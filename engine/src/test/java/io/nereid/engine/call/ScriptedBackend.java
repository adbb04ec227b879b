package io.nereid.engine.call;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.OwnCalls;
import io.nereid.spi.Results;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A backend whose models execute what a test has said. */
public final class ScriptedBackend implements BackendProvider {
  /** What the instances of a model do. */
  @FunctionalInterface
  public interface Script {
    /** Executes a batch. */
    void execute(Batch batch, Results results) throws Exception;
  }

  private static final Map<String, Script> SCRIPTS = new ConcurrentHashMap<>();

  /** Sets what a model does; before or after it is loaded. */
  public static void script(String model, Script script) {
    SCRIPTS.put(model, script);
  }

  /** What a model does when it is loaded, with its calls on its own behalf. */
  @FunctionalInterface
  public interface OnLoad {
    void load(OwnCalls calls);
  }

  private static final Map<String, OnLoad> ON_LOAD = new ConcurrentHashMap<>();

  /** Sets what a model does when it is loaded. */
  public static void onLoad(String model, OnLoad action) {
    ON_LOAD.put(model, action);
  }

  /** Sets whether the instances of a model are healthy. */
  public static void setHealthy(String model, boolean isHealthy) {
    if (isHealthy) {
      SICK.remove(model);
    } else {
      SICK.add(model);
    }
  }

  /** Forgets what was set of all models. */
  public static void clear() {
    SCRIPTS.clear();
    ON_LOAD.clear();
    SICK.clear();
  }

  private static final Set<String> SICK = ConcurrentHashMap.newKeySet();

  @Override
  public String name() {
    return "scripted";
  }

  @Override
  public Backend open(BackendContext settings) {
    return new Backend() {
      @Override
      public Model load(ModelFiles files, ModelConfig config) {
        return new Loaded(config);
      }

      @Override
      public Model load(ModelFiles files, ModelConfig config, OwnCalls calls) {
        OnLoad action = ON_LOAD.get(config.name());
        if (action != null) {
          action.load(calls);
        }
        return new Loaded(config);
      }

      @Override
      public void close() {}
    };
  }

  private record Loaded(ModelConfig config) implements Model {
    @Override
    public ModelInstance open(InstanceSettings settings) {
      return new Instance(config);
    }

    @Override
    public void close() {}
  }

  private record Instance(ModelConfig config) implements ModelInstance {
    @Override
    public void execute(Batch batch, Results results) {
      Script script = SCRIPTS.get(config.name());
      if (script == null) {
        throw new IllegalStateException("no script for " + config.name());
      }
      try {
        script.execute(batch, results);
      } catch (RuntimeException failed) {
        throw failed;
      } catch (Exception failed) {
        throw new IllegalStateException(failed);
      }
    }

    @Override
    public boolean isHealthy() {
      return !SICK.contains(config.name());
    }

    @Override
    public boolean runsOnAnyThread() {
      return config.parameters().containsKey("any_thread");
    }

    @Override
    public boolean hasBoundedTime() {
      return config.parameters().containsKey("bounded_time");
    }

    @Override
    public void close() {}
  }
}
