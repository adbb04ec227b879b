package io.nereid.engine.plugin;

import io.nereid.error.IoReason;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.constant.ClassDesc;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipFile;

/** Classes that a plug-in needs and its folder lacks. */
public final class MissingClasses {
  private static final System.Logger LOG = System.getLogger(MissingClasses.class.getName());
  private static final Pattern NAME = Pattern.compile("[\\w$]+([./][\\w$]+)*");

  private MissingClasses() {}

  /**
   * The classes that the code in a plug-in's jar refers to, and that its loader does not find, or
   * whose superclasses it does not find; by name. The code of its libraries is not read, since many
   * do without classes that they refer to.
   *
   * @param plugin an object of the jar
   * @return none if the plug-in is from the class path
   */
  public static NavigableSet<String> of(Object plugin) {
    Class<?> type = plugin.getClass();
    CodeSource source = type.getProtectionDomain().getCodeSource();
    if (!(type.getClassLoader() instanceof PluginClassLoader loader) || source == null) {
      return Collections.emptyNavigableSet();
    }
    NavigableSet<String> missing = new TreeSet<>();
    try {
      for (String name : referred(Path.of(source.getLocation().toURI()))) {
        missing(name, loader).ifPresent(missing::add);
      }
    } catch (IOException unreadable) {
      LOG.log(Level.WARNING, "cannot read {0}: {1}", source.getLocation(), IoReason.of(unreadable));
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
    return missing;
  }

  /** The class whose absence is behind a failure; empty if that is not the cause. */
  public static Optional<String> of(Throwable thrown) {
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      if (each instanceof NoClassDefFoundError || each instanceof ClassNotFoundException) {
        Matcher name = NAME.matcher(String.valueOf(each.getMessage()));
        if (name.matches()) {
          return Optional.of(name.group().replace('/', '.'));
        }
      }
    }
    return Optional.empty();
  }

  private static NavigableSet<String> referred(Path file) throws IOException {
    NavigableSet<String> names = new TreeSet<>();
    try (var jar = new JarFile(file.toFile(), false, ZipFile.OPEN_READ, JarFile.runtimeVersion())) {
      List<JarEntry> entries =
          jar.versionedStream()
              .filter(entry -> entry.getName().endsWith(".class"))
              .filter(entry -> !entry.getName().endsWith("module-info.class"))
              .toList();
      for (JarEntry entry : entries) {
        byte[] content = jar.getInputStream(entry).readAllBytes();
        for (PoolEntry constant : ClassFile.of().parse(content).constantPool()) {
          if (constant instanceof ClassEntry referred) {
            name(referred.asSymbol()).ifPresent(names::add);
          }
        }
      }
    }
    return names;
  }

  /** The name of a class, or of an array's elements; empty if these are primitive. */
  private static Optional<String> name(ClassDesc type) {
    ClassDesc element = type;
    while (element.isArray()) {
      element = element.componentType();
    }
    if (element.isPrimitive()) {
      return Optional.empty();
    }
    String descriptor = element.descriptorString();
    return Optional.of(descriptor.substring(1, descriptor.length() - 1).replace('/', '.'));
  }

  private static Optional<String> missing(String name, ClassLoader loader) {
    try {
      Class.forName(name, false, loader);
      return Optional.empty();
    } catch (ClassNotFoundException | LinkageError absent) {
      return of(absent);
    }
  }
}
