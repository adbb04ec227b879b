package io.nereid.engine.scheduling.ensemble;

import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sequence that a tensor belongs to, and whether it starts or ends it. A composing model's
 * response may change the mark for the steps behind it, by its parameters.
 */
record SequenceMark(SequenceId id, boolean start, boolean end) {
  private static final String ID = "sequence_id";
  private static final String START = "sequence_start";
  private static final String END = "sequence_end";

  static SequenceMark of(RequestOptions options) {
    return new SequenceMark(options.sequenceId(), options.sequenceStart(), options.sequenceEnd());
  }

  /**
   * This mark as changed by the parameters of a response. If the response sets any of the three, an
   * absent id keeps its value, and an absent flag is false.
   *
   * @throws InferenceException INVALID_ARGUMENT if a parameter has a wrong type
   */
  SequenceMark changedBy(Map<String, Parameter> parameters) {
    boolean changed =
        parameters.containsKey(ID) || parameters.containsKey(START) || parameters.containsKey(END);
    return changed
        ? new SequenceMark(id(parameters.get(ID)), flag(parameters, START), flag(parameters, END))
        : this;
  }

  private SequenceId id(@Nullable Parameter parameter) {
    return switch (parameter) {
      case null -> id;
      case Parameter.OfLong(long number) -> new SequenceId.OfNumber(number);
      case Parameter.OfString(String text) -> new SequenceId.OfString(text);
      case Parameter.OfBoolean _, Parameter.OfDouble _ ->
          throw InferenceException.invalid(
              "expected parameter 'sequence_id' to be TRITONSERVER_PARAMETER_INT or"
                  + " TRITONSERVER_PARAMETER_STRING");
    };
  }

  private static boolean flag(Map<String, Parameter> parameters, String name) {
    return switch (parameters.get(name)) {
      case null -> false;
      case Parameter.OfBoolean(boolean value) -> value;
      case Parameter.OfLong _, Parameter.OfString _, Parameter.OfDouble _ ->
          throw InferenceException.invalid(
              "expect parameter '%s' to be TRITONSERVER_PARAMETER_BOOL".formatted(name));
    };
  }

  /** A copy of the options with this mark. */
  RequestOptions applyTo(RequestOptions options) {
    return equals(of(options))
        ? options
        : new RequestOptions(
            id, start, end, options.priority(), options.timeoutMicros(), options.parameters());
  }

  /** The parameters that tell the client of an ensemble. */
  Map<String, Parameter> parameters() {
    Parameter shown =
        switch (id) {
          case SequenceId.OfNumber(long number) -> new Parameter.OfLong(number);
          case SequenceId.OfString(String text) -> new Parameter.OfString(text);
        };
    return Map.of(
        ID, shown, START, new Parameter.OfBoolean(start), END, new Parameter.OfBoolean(end));
  }
}
