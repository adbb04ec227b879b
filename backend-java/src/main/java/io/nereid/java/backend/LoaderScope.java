package io.nereid.java.backend;

/** The scope in which the context class loader of the current thread is that of a model's code. */
final class LoaderScope implements AutoCloseable {
  private final ClassLoader previous = Thread.currentThread().getContextClassLoader();

  /** Enters the scope of the loader of a class. */
  LoaderScope(Class<?> type) {
    Thread.currentThread().setContextClassLoader(type.getClassLoader());
  }

  @Override
  public void close() {
    Thread.currentThread().setContextClassLoader(previous);
  }
}
