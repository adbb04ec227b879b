package io.nereid.engine.execution.output;

import static java.util.stream.Collectors.joining;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.engine.request.RequestErrors;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The outputs and the states that a model version declares, by name. Thread-safe. */
public final class DeclaredOutputs {
  private static final System.Logger LOG = System.getLogger(DeclaredOutputs.class.getName());

  /** The outputs that a message names. */
  private static final int MAX_NAMED = 20;

  private final String backend;
  private final ModelKey model;
  private final DeclaredOutput[] outputs;
  private final DeclaredOutput[] states;
  private final Predicate<String> isFirst;

  /**
   * Those of a model.
   *
   * @param isShapeHint whether the declared shape of an output is a hint
   * @param isFirst whether a warning is the first of its kind, which is logged
   */
  public DeclaredOutputs(
      ModelConfig config,
      ModelKey model,
      Predicate<String> isShapeHint,
      Predicate<String> isFirst) {
    this.isFirst = isFirst;
    this.backend = config.backend();
    this.model = model;
    this.outputs =
        config.outputs().stream()
            .map(output -> DeclaredOutput.of(config, model, output, isShapeHint, isFirst))
            .toArray(DeclaredOutput[]::new);
    this.states =
        config.sequence().map(SequenceSettings::states).orElse(List.of()).stream()
            .map(state -> DeclaredOutput.of(config, model, state, isFirst))
            .toArray(DeclaredOutput[]::new);
  }

  /** The output of that name; null if the model declares none. */
  public @Nullable DeclaredOutput output(String name) {
    return find(outputs, name);
  }

  /** The state of that output name; null if the model declares none. */
  public @Nullable DeclaredOutput state(String outputName) {
    return find(states, outputName);
  }

  /** The failure of an output that the model does not declare. */
  public InferenceException undeclared(String name) {
    String expected =
        outputs.length == 0
            ? "none"
            : Stream.of(outputs)
                .limit(MAX_NAMED)
                .map(output -> "'" + output.name() + "'")
                .collect(joining(", ", "one of ", outputs.length > MAX_NAMED ? ", …" : ""));
    return new WrongOutput(backend, model, "output", name, _ -> isFirst.test("undeclared output"))
        .wrong("not declared by the model", expected);
  }

  /**
   * A response has no output. The first one of the model is logged, if the request asked for any.
   *
   * @param id the client's id of the request
   * @param asked the outputs that it asked for
   */
  public void warnOfNone(String id, List<String> asked) {
    if (!asked.isEmpty() && isFirst.test("a response without outputs")) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0}backend ''{1}'', model ''{2}'', version {3}: a response has no output, expected {4}",
          RequestErrors.prefix(id),
          backend,
          model.name(),
          Long.toString(model.version()),
          asked.stream().limit(MAX_NAMED).map(name -> "'" + name + "'").collect(joining(", ")));
    }
  }

  /** See {@link DeclaredOutput#checkContent}; {@code output} was checked before. */
  public @Nullable InferenceException checkContent(Tensor output) {
    if (output.dataType().hasFixedSize() && output.data().scope().isAlive()) {
      return null; // without a search for the declaration
    }
    DeclaredOutput declared = output(output.name());
    return declared == null
        ? undeclared(output.name())
        : declared.checkContent(output.shape(), output.data());
  }

  private static @Nullable DeclaredOutput find(DeclaredOutput[] all, String name) {
    int hash = name.hashCode(); // a string keeps it, and names are often of one length
    for (DeclaredOutput each : all) {
      if (each.nameHash() == hash && each.name().equals(name)) {
        return each;
      }
    }
    return null;
  }
}
