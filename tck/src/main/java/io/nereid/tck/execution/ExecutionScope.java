package io.nereid.tck.execution;

import io.nereid.spi.Batch;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * Where a batch and its results may be used: on the thread that executes it, until the execution
 * has ended. As in the server, any other use fails. Created by that thread; thread-safe.
 */
final class ExecutionScope {
  private final Thread executor = Thread.currentThread();
  private final TestBatch batch;
  private final Violations violations;
  private volatile boolean ended;

  ExecutionScope(TestBatch batch, Violations violations) {
    this.batch = batch;
    this.violations = violations;
  }

  void end() {
    ended = true;
  }

  /** The batch as a backend sees it: any use but the look at its cancellation is checked. */
  Batch scoped() {
    return (Batch)
        Proxy.newProxyInstance(
            Batch.class.getClassLoader(),
            new Class<?>[] {Batch.class},
            (_, method, arguments) -> {
              boolean anyTime = method.getName().equals("isCancelled") && arguments == null;
              if (!anyTime && method.getDeclaringClass() == Batch.class) {
                requireOpen("Batch." + method.getName());
              }
              try {
                return method.invoke(batch, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
  }

  /** Fails unless the calling thread executes the batch. */
  void requireOpen(String method) {
    Thread caller = Thread.currentThread();
    if (ended || !caller.equals(executor)) {
      throw violations.add(
          "BACKEND-THREAD-04",
          ended
              ? "%s is called after the execution has ended".formatted(method)
              : "%s is called by thread '%s', not by the instance's"
                  .formatted(method, caller.getName()));
    }
    batch.used();
  }
}
