package io.nereid.server.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.System.Logger.Level;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * Handlers of signals, by {@code sun.misc.Signal}. It is called by reflection: it has no
 * replacement, and javac's warning about it cannot be suppressed.
 */
public final class Signals {
  private static final System.Logger LOG = System.getLogger(Signals.class.getName());

  private Signals() {}

  /**
   * Has a thread run {@code action} each time that the process gets a signal. Also a signal that
   * the process ignores, as those that a script starts with {@code &} do with SIGINT, and that the
   * JVM would leave ignored. Without effect if the JVM was told not to use signals, by {@code
   * -Xrs}.
   *
   * @param name without {@code SIG}
   */
  public static void handle(String name, int number, Runnable action) {
    try {
      Class<?> type = Class.forName("sun.misc.Signal");
      Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
      Object handler =
          Proxy.newProxyInstance(
              handlerType.getClassLoader(),
              new Class<?>[] {handlerType},
              (_, _, _) -> {
                action.run();
                return null;
              });
      Object signal = type.getConstructor(String.class).newInstance(name);
      Method handle = type.getMethod("handle", type, handlerType);
      Object previous = handle.invoke(null, signal, handler);
      if (handlerType.getField("SIG_IGN").get(null).equals(previous)) {
        restoreDefault(number);
        Object _ = handle.invoke(null, signal, handler);
      }
    } catch (InvocationTargetException inUse) {
      LOG.log(Level.DEBUG, "signal " + name + " is not handled", inUse);
    } catch (ReflectiveOperationException missing) {
      throw new IllegalStateException("no sun.misc.Signal", missing);
    }
  }

  /** Calls {@code signal(number, SIG_DFL)} of the C library. */
  private static void restoreDefault(int number) {
    Linker linker = Linker.nativeLinker();
    MethodHandle signal =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("signal"),
            FunctionDescriptor.of(ADDRESS, JAVA_INT, ADDRESS));
    try {
      var _ = (MemorySegment) signal.invokeExact(number, MemorySegment.NULL);
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }
}
