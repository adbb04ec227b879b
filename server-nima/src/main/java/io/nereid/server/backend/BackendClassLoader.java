package io.nereid.server.backend;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Loads one backend's jars. Of the server a backend sees the contract alone, so that both may use
 * different versions of any library.
 */
final class BackendClassLoader extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  /**
   * @param jars the backend's, in order
   */
  BackendClassLoader(String name, List<URL> jars) {
    super("backend-" + name, jars.toArray(URL[]::new), new Contract());
  }

  /** The platform and the packages of the contract, nothing else of the server. */
  private static final class Contract extends ClassLoader {
    static {
      registerAsParallelCapable();
    }

    private static final List<String> PACKAGES =
        List.of(
            "io.nereid.config.",
            "io.nereid.error.",
            "io.nereid.request.",
            "io.nereid.spi.",
            "io.nereid.tensor.");

    private final ClassLoader server = BackendClassLoader.class.getClassLoader();

    Contract() {
      super("contract", ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      for (String prefix : PACKAGES) {
        if (name.startsWith(prefix)) {
          return server.loadClass(name);
        }
      }
      throw new ClassNotFoundException(name);
    }

    @Override
    protected @Nullable URL findResource(String name) {
      return null; // the server's services are not this backend's
    }

    @Override
    protected Enumeration<URL> findResources(String name) {
      return Collections.emptyEnumeration();
    }
  }
}
