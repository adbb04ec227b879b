package io.nereid.java.backend;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.java.BatchJavaModel;
import io.nereid.java.Calls;
import io.nereid.java.JavaModel;
import io.nereid.java.ModelContext;
import io.nereid.java.Request;
import io.nereid.java.Response;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * An object of a model's class. Its methods have the context class loader of the version, and throw
 * nothing but {@link InferenceException}, whatever the class throws or returns. Any thread may call
 * it.
 */
final class ModelObject {
  private static final int MAX_CAUSES = 20;

  private final String model;
  private final Class<?> type;
  private final BatchJavaModel object;
  private final boolean isBatched;
  private final System.Logger logger;

  /** Where exceptions came from that were logged. */
  private final Set<StackTraceElement> lines = ConcurrentHashMap.newKeySet();

  /**
   * @param model its name, for messages
   * @param created implements {@link JavaModel} or {@link BatchJavaModel}
   * @param logger of the backend
   */
  ModelObject(String model, Object created, System.Logger logger) {
    this.model = model;
    this.logger = logger;
    this.type = created.getClass();
    isBatched = created instanceof BatchJavaModel;
    object = created instanceof JavaModel one ? new OneByOne(one) : (BatchJavaModel) created;
  }

  /**
   * Creates an object by the constructor without parameters.
   *
   * @throws InferenceException INVALID_ARGUMENT if there is none, INTERNAL if it fails
   */
  static Object create(String model, Class<?> type, System.Logger logger) {
    try (var _ = new LoaderScope(type)) {
      return type.getConstructor().newInstance();
    } catch (InvocationTargetException failed) {
      throw failed(logger, model, type, "the constructor", failed.getCause());
    } catch (ReflectiveOperationException none) {
      int modifiers = type.getModifiers();
      String what =
          !Modifier.isPublic(modifiers)
              ? "is not public"
              : Modifier.isAbstract(modifiers)
                  ? "is abstract"
                  : "needs a public constructor without parameters";
      throw InferenceException.invalid(
          "model '%s': class '%s' %s".formatted(model, type.getName(), what));
    } catch (LinkageError failed) {
      throw failed(logger, model, type, "the initialization", failed);
    }
  }

  /** Whether all requests of a batch are answered by one call. */
  boolean isBatched() {
    return isBatched;
  }

  ModelConfig complete(ModelConfig config) {
    return call("complete", () -> object.complete(config));
  }

  void open(ModelContext context) {
    var _ =
        call(
            "open",
            () -> {
              object.open(context);
              return true;
            });
  }

  /**
   * Answers requests: one if it is not {@linkplain #isBatched batched}.
   *
   * @param calls on behalf of the request at that place
   * @return as many responses
   */
  List<Response> infer(List<Request> requests, List<Calls> calls) {
    List<Response> responses = call("infer", () -> object.infer(requests, calls));
    if (responses.size() != requests.size()) {
      throw wrong(
          "has returned %d responses to %d requests".formatted(responses.size(), requests.size()));
    }
    for (Response response : responses) {
      if (response == null) {
        throw wrong("has returned null");
      }
    }
    return responses;
  }

  private InferenceException wrong(String what) {
    return InferenceException.internal(
        "model '%s': %s %s".formatted(model, shown("infer", type), what));
  }

  /** A method, as messages have it; the name of a lambda's class is in no source. */
  private static String shown(String method, Class<?> type) {
    return type.isHidden()
        ? method + " of its lambda"
        : "%s of class '%s'".formatted(method, type.getName());
  }

  /** Closes the object. What it throws is logged. */
  void close() {
    try {
      var _ =
          call(
              "close",
              () -> {
                object.close();
                return true;
              });
    } catch (InferenceException failed) {
      logger.log(System.Logger.Level.WARNING, "{0}", failed.getMessage());
    }
  }

  private <T> T call(String method, Callable<@Nullable T> call) {
    T value;
    try (var _ = new LoaderScope(type)) {
      value = call.call();
    } catch (Throwable thrown) { // also an Error, such as of a jar that is missing
      if (thrown instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      InferenceException failure = named(failed(logger, model, type, method, thrown));
      if (InferenceException.of(thrown).isPresent()) {
        logLine(method, failure);
      }
      throw failure;
    }
    if (value == null) {
      throw InferenceException.internal(
          "model '%s': %s has returned null".formatted(model, shown(method, type)));
    }
    return value;
  }

  /** A failure that says whose it is, if it is a bug: what reads a tensor knows no model. */
  private InferenceException named(InferenceException failure) {
    boolean isNamed = failure.getMessage().startsWith("model '%s'".formatted(model));
    if (failure.code() != StatusCode.INTERNAL || isNamed) {
      return failure;
    }
    var named =
        new InferenceException(
            StatusCode.INTERNAL, "model '%s': %s".formatted(model, failure.getMessage()), failure);
    named.setStackTrace(failure.getStackTrace());
    return named;
  }

  /** Logs from which line of the class an exception with a stack trace came, once for a line. */
  private void logLine(String method, InferenceException thrown) {
    for (StackTraceElement frame : thrown.getStackTrace()) {
      String name = frame.getClassName();
      if (name.equals(type.getName()) || name.startsWith(type.getName() + "$")) {
        if (lines.add(frame)) {
          logger.log(
              System.Logger.Level.WARNING,
              "model ''{0}'': {1} fails at {2}:{3}: {4}",
              model,
              method,
              String.valueOf(frame.getFileName()),
              Integer.toString(frame.getLineNumber()),
              thrown.getMessage());
        }
        return;
      }
    }
  }

  /** What a method of a model's class has thrown, as its clients see it; a bug is logged. */
  static InferenceException failed(
      System.Logger logger,
      String model,
      Class<?> type,
      String method,
      @Nullable Throwable thrown) {
    return InferenceException.of(thrown)
        .orElseGet(() -> {
          String what =
              "model '%s': %s failed: %s%s"
                  .formatted(model, shown(method, type), thrown, cure(thrown));
          logger.log(System.Logger.Level.ERROR, what, thrown);
          return new InferenceException(StatusCode.INTERNAL, what, thrown);
        });
  }

  /** What helps if a native library has the loader of another version; empty if it has not. */
  private static String cure(@Nullable Throwable thrown) {
    for (int depth = 0; thrown != null && depth < MAX_CAUSES; depth++) {
      if (String.valueOf(thrown.getMessage()).contains("already loaded in another classloader")) {
        return "; a native library has one class loader until the process ends: put the jars that"
            + " load it into the folder 'lib' of the model, whose classes its versions share."
            + " Restart the server if they are there and were changed, or if another model has"
            + " other jars beside them";
      }
      thrown = thrown.getCause();
    }
    return "";
  }

  /** A model of one request, as one of batches of one. */
  private record OneByOne(JavaModel one) implements BatchJavaModel {
    @Override
    public List<Response> infer(List<Request> requests, List<Calls> calls) throws Exception {
      Response response = one.infer(requests.getFirst(), calls.getFirst());
      return Collections.singletonList(response);
    }

    @Override
    public ModelConfig complete(ModelConfig config) throws Exception {
      return one.complete(config);
    }

    @Override
    public void open(ModelContext context) throws Exception {
      one.open(context);
    }

    @Override
    public void close() throws Exception {
      one.close();
    }
  }
}
