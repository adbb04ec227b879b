package io.nereid.engine.plugin;

/**
 * The scope in which the current thread's context class loader is that of a plug-in, such as a
 * backend, so that its libraries that look for services find those in its own jars:
 *
 * <pre>{@code
 * try (var _ = new PluginContext(backend)) {
 *   model = backend.load(files, config);
 * }
 * }</pre>
 */
public final class PluginContext implements AutoCloseable {
  private final ClassLoader previous = Thread.currentThread().getContextClassLoader();

  /** Enters the scope of the loader that defined the class of {@code pluginObject}. */
  public PluginContext(Object pluginObject) {
    this(pluginObject.getClass().getClassLoader());
  }

  /** Enters the scope of a loader. */
  public PluginContext(ClassLoader loader) {
    Thread.currentThread().setContextClassLoader(loader);
  }

  @Override
  public void close() {
    Thread.currentThread().setContextClassLoader(previous);
  }
}
