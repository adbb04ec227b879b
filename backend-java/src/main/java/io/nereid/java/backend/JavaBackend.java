package io.nereid.java.backend;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.java.BatchJavaModel;
import io.nereid.java.JavaModel;
import io.nereid.java.ModelContext;
import io.nereid.java.code.ModelClass;
import io.nereid.java.code.VersionCode;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelFiles.Trust;
import io.nereid.spi.OwnCalls;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import javax.tools.JavaCompiler;
import org.jspecify.annotations.Nullable;

/**
 * The backend {@code java}. Each load of a version compiles and loads its code anew.
 *
 * @param context passed on to models that are backends themselves
 * @param compiler null where this Java runtime has none
 * @param given makes the objects of the models that are the program's, by name
 */
record JavaBackend(
    BackendContext context,
    CodePermission permission,
    @Nullable JavaCompiler compiler,
    Map<String, Supplier<?>> given)
    implements Backend {
  @Override
  public ModelConfig complete(ModelFiles files, ModelConfig config) {
    boolean isChecked = files.trust() == Trust.CHECK;
    if (!given.containsKey(config.name())) {
      permission.check(files, config.name());
      Object _ = isChecked ? type(files, config) : place(files, config);
    }
    if (isChecked || (!config.inputs().isEmpty() && !config.outputs().isEmpty())) {
      return config;
    }
    Object created = create(files, config);
    if (created instanceof BackendProvider provider) {
      try (var _ = new LoaderScope(provider.getClass());
          Backend own = open(config, provider)) {
        return own.complete(files, config);
      }
    }
    var object = new ModelObject(config.name(), created, context.logger());
    try {
      return object.complete(config);
    } finally {
      object.close();
    }
  }

  @Override
  public Model load(ModelFiles files, ModelConfig config) {
    return load(
        files,
        config,
        _ -> {
          throw InferenceException.unsupported(
              "model '%s' was loaded without calls of its own".formatted(config.name()));
        });
  }

  @Override
  public Model load(ModelFiles files, ModelConfig config, OwnCalls calls) {
    Object created = create(files, config);
    context
        .logger()
        .log(
            Level.INFO,
            "model ''{0}'': class ''{1}''",
            config.name(),
            created.getClass().getName());
    return created instanceof BackendProvider provider
        ? loadOwn(files, config, provider, calls)
        : loadSimple(files, config, created, calls);
  }

  private Model loadSimple(ModelFiles files, ModelConfig config, Object created, OwnCalls calls) {
    var object = new ModelObject(config.name(), created, context.logger());
    try {
      object.open(
          new ModelContext(
              config,
              files,
              context.logger(),
              context.metrics().forModel(config.name(), files.version()),
              calls));
    } catch (InferenceException failed) {
      object.close();
      throw failed;
    }
    return new SimpleModel(files, config, created.getClass(), object, context.logger());
  }

  private Model loadOwn(
      ModelFiles files, ModelConfig config, BackendProvider provider, OwnCalls calls) {
    try (var _ = new LoaderScope(provider.getClass())) {
      Backend own = open(config, provider);
      try {
        return new OwnBackendModel(
            files, config, own, required(own.load(files, config, calls), config), context.logger());
      } catch (LinkageError failed) {
        own.close();
        throw ModelObject.failed(
            context.logger(), config.name(), provider.getClass(), "load", failed);
      } catch (Throwable failed) {
        own.close();
        throw failed;
      }
    }
  }

  private Backend open(ModelConfig config, BackendProvider provider) {
    return required(provider.open(context), config);
  }

  private static <T> T required(@Nullable T value, ModelConfig config) {
    if (value == null) {
      throw InferenceException.internal(
          "model '%s': what makes, opens or loads it has returned null".formatted(config.name()));
    }
    return value;
  }

  /** An object of the model's class. */
  private Object create(ModelFiles files, ModelConfig config) {
    Supplier<?> own = given.get(config.name());
    if (own != null) {
      Object object = required(own.get(), config);
      if (object instanceof Class<?> type) {
        return ModelObject.create(config.name(), code(config).check(type), context.logger());
      }
      var _ = code(config).check(object.getClass());
      return object;
    }
    permission.check(files, config.name());
    return ModelObject.create(config.name(), type(files, config), context.logger());
  }

  private static ModelClass code(ModelConfig config) {
    return new ModelClass(
        config.name(), Set.of(JavaModel.class, BatchJavaModel.class, BackendProvider.class));
  }

  /** The class in the version's code, none of which has run. */
  private Class<?> type(ModelFiles files, ModelConfig config) {
    return code(config)
        .load(
            files.modelDirectory(),
            place(files, config),
            "%s-%d".formatted(config.name(), files.version()),
            config.parameters().get(ModelClass.PARAMETER),
            compiler);
  }

  /** The version's folder, or the file in it that the configuration names. */
  private static Path place(ModelFiles files, ModelConfig config) {
    String name = config.defaultModelFilename();
    Path place = name.isEmpty() ? files.versionDirectory() : files.file(name);
    if (!Files.exists(place)) {
      throw InferenceException.unavailable(
          "unable to find '%s' for model '%s'".formatted(place, config.name()));
    }
    try {
      if (VersionCode.of(place).isEmpty()) {
        throw InferenceException.unavailable(
            "model '%s' has neither source nor class nor jar in '%s'"
                .formatted(config.name(), place));
      }
    } catch (IOException unreadable) {
      throw InferenceException.unavailable(
          "the code of model '%s' cannot be read: %s"
              .formatted(config.name(), IoReason.of(unreadable)));
    }
    return place;
  }

  @Override
  public void close() {
    // Models hold all there is.
  }
}
