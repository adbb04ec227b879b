package io.nereid.onnx.ort;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;

/**
 * ONNX Runtime's log, whose lines are in that of the process, under a logger of their own: what is
 * information for ONNX Runtime, some hundred lines for a model, is a detail there. Any native
 * thread may log.
 */
final class OrtLog {
  /** The id of lines that are no session's. */
  static final String ENVIRONMENT = "";

  /** {@code ORT_LOGGING_LEVEL_FATAL}; a function that fails at this level says so by its status. */
  static final int FATAL = 4;

  /**
   * Where it logs that an output has another shape than the file declares, in each run. The server
   * logs that once.
   */
  private static final String OF_EACH_RUN = "VerifyOutputSizes";

  private static final System.Logger LOG = System.getLogger("ai.onnxruntime");

  /** At the index of their {@code OrtLoggingLevel}. */
  private static final List<Level> LEVELS =
      List.of(Level.TRACE, Level.DEBUG, Level.WARNING, Level.ERROR, Level.ERROR);

  /** An {@code OrtLoggingFunction}; the library keeps the environment's as long as it is loaded. */
  private static final MemorySegment FUNCTION = function();

  private OrtLog() {}

  static long address() {
    return FUNCTION.address();
  }

  /** The lowest severity that is shown now, so that the library makes no text for others. */
  static int severity() {
    int severity = 0;
    while (severity < FATAL && !LOG.isLoggable(LEVELS.get(severity))) {
      severity++;
    }
    return severity;
  }

  private static MemorySegment function() {
    try {
      MethodHandle log =
          MethodHandles.lookup()
              .findStatic(
                  OrtLog.class,
                  "log",
                  MethodType.methodType(
                      void.class,
                      long.class,
                      int.class,
                      long.class,
                      long.class,
                      long.class,
                      long.class));
      return Linker.nativeLinker()
          .upcallStub(
              log,
              FunctionDescriptor.ofVoid(
                  JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
              Arena.global());
    } catch (ReflectiveOperationException impossible) {
      throw new LinkageError(impossible.getMessage(), impossible);
    }
  }

  /** Never throws: an exception would end the process. */
  @SuppressWarnings("unused") // by the library
  private static void log(
      long parameter, int severity, long category, long id, long location, long message) {
    try {
      String place = OrtApi.text(location);
      if (place.contains(OF_EACH_RUN)) {
        return;
      }
      String model = OrtApi.text(id);
      LOG.log(
          LEVELS.get(Math.clamp(severity, 0, FATAL)),
          "{0}: {1} ({2})",
          model.equals(ENVIRONMENT) ? "ONNX Runtime" : "model '" + model + "'",
          OrtApi.text(message),
          place);
    } catch (Throwable lost) { // no memory, or a handler that fails: without this line, then
      return;
    }
  }
}
