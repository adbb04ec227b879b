package io.nereid.server.mutation;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The classes of some packages and their tests once more, as classes of their own, with one of them
 * compiled from another source.
 */
public final class MutatedClasses extends ClassLoader {
  private final String packages;
  private final Map<String, byte[]> mutated;

  private MutatedClasses(String packages, Map<String, byte[]> mutated) {
    super(MutatedClasses.class.getClassLoader());
    this.packages = packages;
    this.mutated = mutated;
  }

  /**
   * Compiles a class anew.
   *
   * @param packages what the names of classes begin with that are there once more
   * @param sources the folder that the mutation's file is in
   * @throws IllegalArgumentException if it does not compile
   */
  public static MutatedClasses with(String packages, Mutation mutation, Path sources)
      throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    Map<String, ByteArrayOutputStream> classes = new HashMap<>();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      var errors = new StringWriter();
      boolean compiled =
          compiler
              .getTask(
                  errors,
                  new InMemory(files, classes),
                  null,
                  List.of("-proc:none", "-nowarn", "-classpath", classPath()),
                  null,
                  List.of(new Source(mutation.className(), mutation.plantedIn(sources))))
              .call();
      if (!compiled) {
        throw new IllegalArgumentException(errors.toString());
      }
    }
    Map<String, byte[]> bytes = new HashMap<>();
    classes.forEach((name, output) -> bytes.put(name, output.toByteArray()));
    return new MutatedClasses(packages, bytes);
  }

  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(packages)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(name) : loaded;
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    byte[] bytes = mutated.get(name);
    String resource = name.replace('.', '/') + ".class";
    try (InputStream original = getParent().getResourceAsStream(resource)) {
      if (bytes == null && original != null) {
        bytes = original.readAllBytes();
      }
    } catch (IOException unreadable) {
      throw new ClassNotFoundException(name, unreadable);
    }
    if (bytes == null) {
      throw new ClassNotFoundException(name);
    }
    return defineClass(name, bytes, 0, bytes.length);
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String simpleName, String text) {
      super(URI.create("memory:///" + simpleName + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  private static final class InMemory extends ForwardingJavaFileManager<JavaFileManager> {
    private final Map<String, ByteArrayOutputStream> classes;

    InMemory(JavaFileManager files, Map<String, ByteArrayOutputStream> classes) {
      super(files);
      this.classes = classes;
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
      return new SimpleJavaFileObject(URI.create("memory:///" + className), kind) {
        @Override
        public OutputStream openOutputStream() {
          var output = new ByteArrayOutputStream();
          classes.put(className, output);
          return output;
        }
      };
    }
  }
}
