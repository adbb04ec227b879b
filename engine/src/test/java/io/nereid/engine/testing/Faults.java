package io.nereid.engine.testing;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An error that is thrown once, by the n-th call of one seam between the engine and others. */
public final class Faults {
  private @Nullable String seam;
  private int left;
  private Supplier<? extends Error> error = OutOfMemoryError::new;

  /** Lets the n-th call of a seam from now on fail. */
  public synchronized void arm(String newSeam, int n, Supplier<? extends Error> newError) {
    seam = newSeam;
    left = n;
    error = newError;
  }

  /** Lets no call fail any more; returns whether one has failed. */
  public synchronized boolean disarm() {
    seam = null;
    return left == 0;
  }

  /** A call of a seam. */
  public synchronized void call(String called) {
    if (called.equals(seam) && left > 0) {
      left--;
      if (left == 0) {
        throw error.get();
      }
    }
  }

  /** An object whose methods of these names are calls of a seam, before they have an effect. */
  public <T> T at(String called, Class<T> type, T object, Set<String> methods) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              if (methods.contains(method.getName())) {
                call(called);
              }
              try {
                return method.invoke(object, arguments);
              } catch (InvocationTargetException failed) {
                throw failed.getCause();
              }
            });
    return type.cast(proxy);
  }
}
