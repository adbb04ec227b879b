package io.nereid.java.backend;

import io.nereid.java.BatchJavaModel;
import io.nereid.java.JavaModel;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.function.Supplier;
import javax.tools.ToolProvider;

/** The provider of the backend {@code java}. It needs nothing of the machine. */
public final class JavaBackendProvider implements BackendProvider {
  private final Map<String, Supplier<?>> given;

  /** Models are code in the folders of their versions. */
  public JavaBackendProvider() {
    this(Map.of());
  }

  /**
   * Some models are objects of the program that embeds the engine; only their configurations are in
   * the repository. They need no permission.
   *
   * @param given makes a {@link JavaModel}, {@link BatchJavaModel} or {@link BackendProvider} for
   *     each load, and one to be closed at once where the configuration lacks inputs or outputs, or
   *     names the class of one; by the model's name
   */
  public JavaBackendProvider(Map<String, Supplier<?>> given) {
    this.given = Map.copyOf(given);
  }

  @Override
  public String name() {
    return "java";
  }

  @Override
  public Backend open(BackendContext context) {
    CodePermission permission = CodePermission.of(context.options());
    if (permission.allowed()) {
      context.logger().log(Level.WARNING, CodePermission.WARNING);
    }
    return new JavaBackend(context, permission, ToolProvider.getSystemJavaCompiler(), given);
  }
}
