import java.io.File;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Copies a jar of the class path to a folder, with classes in a format that an AOT cache takes. The
 * JVM archives no class that is older than Java 6, since such classes have no stack maps and need
 * the old verifier: they are given both. Nothing else of them changes.
 *
 * <pre>java -cp &lt;class path&gt; UpgradeClassFiles.java &lt;name of the jar&gt; &lt;folder&gt;
 * </pre>
 */
final class UpgradeClassFiles {
  /** The Apache licence, section 4b, asks for it. */
  private static final String NOTICE =
      """
      This jar is a modified copy of %s of Maven Central: the builders of Nereid have given its
      class files the format of Java 8, with stack maps. The code is the same.
      """;

  private final ClassFile format;

  private UpgradeClassFiles(ClassLoader classes) {
    var hierarchy =
        ClassHierarchyResolver.ofResourceParsing(classes)
            .orElse(ClassHierarchyResolver.defaultResolver());
    format =
        ClassFile.of(
            StackMapsOption.GENERATE_STACK_MAPS, ClassHierarchyResolverOption.of(hierarchy));
  }

  public static void main(String[] arguments) throws IOException {
    String name = arguments[0];
    Path folder = Files.createDirectories(Path.of(arguments[1]));
    Path jar =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .filter(path -> path.endsWith(name))
            .findFirst()
            .orElseThrow(() -> new IOException("the class path has no " + name));
    try (var classes = new URLClassLoader(new URL[] {jar.toUri().toURL()})) {
      new UpgradeClassFiles(classes).copy(jar, folder.resolve(name));
    }
  }

  private void copy(Path jar, Path target) throws IOException {
    try (var from = new ZipFile(jar.toFile());
        var to = new ZipOutputStream(Files.newOutputStream(target))) {
      for (ZipEntry entry : Collections.list(from.entries())) {
        byte[] content = from.getInputStream(entry).readAllBytes();
        var copied = new ZipEntry(entry.getName());
        copied.setTime(entry.getTime()); // two builds make the same jar
        to.putNextEntry(copied);
        to.write(entry.getName().endsWith(".class") ? upgraded(content) : content);
        to.closeEntry();
      }
      var notice = new ZipEntry("META-INF/MODIFIED");
      notice.setTime(from.entries().nextElement().getTime());
      to.putNextEntry(notice);
      to.write(NOTICE.formatted(jar.getFileName()).getBytes(StandardCharsets.UTF_8));
      to.closeEntry();
    }
  }

  private byte[] upgraded(byte[] content) {
    ClassModel old = format.parse(content);
    if (old.majorVersion() >= ClassFile.JAVA_8_VERSION) {
      return content;
    }
    return format.transformClass(
        old,
        (type, element) -> {
          switch (element) {
            case ClassFileVersion _ -> type.withVersion(ClassFile.JAVA_8_VERSION, 0);
            // Code that is written again gets stack maps; code that is copied would not.
            case MethodModel method ->
                type.transformMethod(
                    method,
                    (copy, part) -> {
                      if (part instanceof CodeModel code) {
                        copy.transformCode(code, CodeTransform.ACCEPT_ALL);
                      } else {
                        copy.with(part);
                      }
                    });
            default -> type.with(element);
          }
        });
  }
}
