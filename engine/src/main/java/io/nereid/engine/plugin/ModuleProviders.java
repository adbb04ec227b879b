package io.nereid.engine.plugin;

import io.nereid.error.IoReason;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The providers that a jar's module descriptor declares, found and instantiated as {@link
 * java.util.ServiceLoader} does for modules.
 */
final class ModuleProviders {
  private static final System.Logger LOG = System.getLogger(ModuleProviders.class.getName());

  private ModuleProviders() {}

  /** The declared classes; none if there is no descriptor, or the file is no jar. */
  static <P> List<Class<? extends P>> of(Class<P> service, Path file, ClassLoader loader)
      throws ClassNotFoundException {
    List<Class<? extends P>> types = new ArrayList<>();
    for (ModuleDescriptor.Provides provides : provides(file.toFile())) {
      if (provides.service().equals(service.getName())) {
        for (String name : provides.providers()) {
          types.add(Class.forName(name, false, loader).asSubclass(service));
        }
      }
    }
    return types;
  }

  private static List<ModuleDescriptor.Provides> provides(File file) {
    try (var jar = new JarFile(file, false, ZipFile.OPEN_READ, JarFile.runtimeVersion())) {
      ZipEntry descriptor = jar.getEntry("module-info.class");
      if (descriptor != null) {
        try (InputStream in = jar.getInputStream(descriptor)) {
          return List.copyOf(ModuleDescriptor.read(in).provides());
        }
      }
    } catch (IOException unreadable) { // the class loader skips it too
      LOG.log(Level.DEBUG, "cannot read {0}: {1}", file, IoReason.of(unreadable));
    }
    return List.of();
  }

  /** Calls the static method {@code provider()} if there is one, else the constructor. */
  static <P> P open(Class<P> service, Class<? extends P> type) throws ReflectiveOperationException {
    try {
      for (Method method : type.getMethods()) {
        if (method.getName().equals("provider")
            && method.getParameterCount() == 0
            && Modifier.isStatic(method.getModifiers())) {
          return service.cast(method.invoke(null));
        }
      }
      return type.getConstructor().newInstance();
    } catch (InvocationTargetException failed) {
      throw new ServiceConfigurationError(
          "provider %s failed: %s".formatted(type.getName(), failed.getCause()), failed);
    }
  }
}
