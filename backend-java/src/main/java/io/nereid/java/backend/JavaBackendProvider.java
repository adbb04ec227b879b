package io.nereid.java.backend;

import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import javax.tools.ToolProvider;

/** The provider of the backend {@code java}. It needs nothing of the machine. */
public final class JavaBackendProvider implements BackendProvider {
  @Override
  public String name() {
    return "java";
  }

  @Override
  public Backend open(BackendContext context) {
    return new JavaBackend(
        context, CodePermission.of(context.options()), ToolProvider.getSystemJavaCompiler());
  }
}
