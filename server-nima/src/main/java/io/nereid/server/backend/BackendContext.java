package io.nereid.server.backend;

/**
 * The scope in which the current thread's context class loader is that of a backend, so that
 * libraries of the backend that look for services find those in its own jars:
 *
 * <pre>{@code
 * try (var _ = new BackendContext(backend)) {
 *   model = backend.load(files, config);
 * }
 * }</pre>
 */
public final class BackendContext implements AutoCloseable {
  private final ClassLoader previous = Thread.currentThread().getContextClassLoader();

  /** Enters the scope of the loader that defined the class of {@code backendObject}. */
  public BackendContext(Object backendObject) {
    this(backendObject.getClass().getClassLoader());
  }

  BackendContext(ClassLoader loader) {
    Thread.currentThread().setContextClassLoader(loader);
  }

  @Override
  public void close() {
    Thread.currentThread().setContextClassLoader(previous);
  }
}
