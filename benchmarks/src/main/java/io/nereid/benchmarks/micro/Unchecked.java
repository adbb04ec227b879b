package io.nereid.benchmarks.micro;

import java.util.concurrent.Callable;

/** Calls in the initialisation of a state's fields, where JMH allows no checked exception. */
public final class Unchecked {
  private Unchecked() {}

  public static <T> T call(Callable<T> call) {
    try {
      return call.call();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
