package io.nereid.server.tensorrt;

import io.nereid.tensorrt.TensorRtBackendProvider;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * A defect planted in the backend's bytecode: a call of a method does nothing, and returns 0 or
 * true; or it is a call of another method.
 *
 * @param in the class whose code makes the calls, below {@code io.nereid.tensorrt}
 * @param method the method that makes the calls
 * @param call the class and the name of the method that is not called, such as {@code A.b}; or,
 *     such as {@code A.b=c}, the name of a method of the same type to call in its place
 * @param index which of the calls in the method: 0 for the first
 */
record PlantedDefect(String in, String method, String call, int index) {
  /** No defect: the backend as it is. */
  static final PlantedDefect NONE = new PlantedDefect("", "", "", 0);

  private static final String ROOT = "io/nereid/tensorrt/";

  /**
   * Writes a jar of the backend with this defect.
   *
   * @param directory the backend directory, to which a folder with the jar is added
   * @throws AssertionError if there is no such call
   */
  void write(Path directory) throws IOException {
    Path folder = Files.createDirectories(directory.resolve("tensorrt"));
    Path classes = classes();
    if (Files.isDirectory(classes)) {
      write(classes, folder);
    } else {
      try (FileSystem jar = FileSystems.newFileSystem(classes)) {
        write(jar.getPath("/"), folder);
      }
    }
  }

  private void write(Path classes, Path folder) throws IOException {
    var planted = new AtomicInteger();
    try (var jar = new JarOutputStream(Files.newOutputStream(folder.resolve("tensorrt.jar")));
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = classes.relativize(file).toString();
        byte[] content = Files.readAllBytes(file);
        jar.putNextEntry(new JarEntry(name));
        jar.write(name.equals(ROOT + in + ".class") ? without(content, planted) : content);
      }
    }
    if (planted.get() == 0 && !equals(NONE)) {
      throw new AssertionError("nothing to skip: " + this);
    }
  }

  /** The folder or the jar with the classes of the backend. */
  private static Path classes() {
    try {
      return Path.of(
          TensorRtBackendProvider.class
              .getProtectionDomain()
              .getCodeSource()
              .getLocation()
              .toURI());
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private byte[] without(byte[] content, AtomicInteger planted) {
    var classFile = ClassFile.of();
    var seen = new AtomicInteger();
    return classFile.transformClass(
        classFile.parse(content),
        ClassTransform.transformingMethodBodies(
            each -> each.methodName().equalsString(method),
            (builder, element) -> {
              if (element instanceof InvokeInstruction invoked
                  && isChanged(invoked)
                  && seen.getAndIncrement() == index) {
                change(builder, invoked);
                planted.incrementAndGet();
              } else {
                builder.with(element);
              }
            }));
  }

  private boolean isChanged(InvokeInstruction invoked) {
    String owner = invoked.owner().asInternalName();
    String simple = owner.substring(owner.lastIndexOf('/') + 1);
    return call.replaceAll("=.*", "").equals(simple + "." + invoked.name().stringValue());
  }

  private void change(CodeBuilder code, InvokeInstruction invoked) {
    int other = call.indexOf('=') + 1;
    if (other == 0) {
      skip(code, invoked);
    } else {
      code.invoke(
          invoked.opcode(),
          invoked.owner().asSymbol(),
          call.substring(other),
          invoked.typeSymbol(),
          invoked.isInterface());
    }
  }

  private static void skip(CodeBuilder code, InvokeInstruction invoked) {
    MethodTypeDesc type = invoked.typeSymbol();
    for (ClassDesc parameter : type.parameterList().reversed()) {
      if (TypeKind.from(parameter).slotSize() == 2) {
        code.pop2();
      } else {
        code.pop();
      }
    }
    if (invoked.opcode() != Opcode.INVOKESTATIC) {
      code.pop();
    }
    switch (TypeKind.from(type.returnType())) {
      case VOID -> {}
      case BOOLEAN -> code.iconst_1();
      case BYTE, CHAR, SHORT, INT -> code.iconst_0();
      case LONG -> code.lconst_0();
      case FLOAT -> code.fconst_0();
      case DOUBLE -> code.dconst_0();
      case REFERENCE -> code.aconst_null();
    }
  }
}
