package io.nereid.java.code;

import io.nereid.java.ModelExit;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeElement;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.stream.StreamSupport;

/** Has the code of a class call {@link ModelExit} in place of the methods that end the process. */
final class ExitCalls {
  private static final ClassDesc TARGET = ModelExit.class.describeConstable().orElseThrow();
  private static final ClassDesc RUNTIME = Runtime.class.describeConstable().orElseThrow();
  private static final MethodTypeDesc WITH_RUNTIME =
      MethodTypeDesc.of(ConstantDescs.CD_void, RUNTIME, ConstantDescs.CD_int);

  private ExitCalls() {}

  /**
   * The class with other calls, or as it is if it has none.
   *
   * @param loader of the class
   */
  static byte[] redirected(byte[] bytes, ClassLoader loader) {
    ClassFile file =
        ClassFile.of(
            ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(loader)
                    .orElse(ClassHierarchyResolver.ofClassLoading(loader.getParent()))));
    try {
      ClassModel model = file.parse(bytes);
      boolean calls =
          StreamSupport.stream(model.constantPool().spliterator(), false)
              .anyMatch(ExitCalls::isExit);
      return calls
          ? file.transformClass(
              model,
              ClassTransform.transformingMethodBodies((code, element) -> {
                if (!isExit(element)) {
                  code.with(element);
                } else if (((InvokeInstruction) element).owner().asSymbol().equals(RUNTIME)) {
                  code.invokestatic(TARGET, "exit", WITH_RUNTIME);
                } else {
                  code.invokestatic(TARGET, "exit", ((InvokeInstruction) element).typeSymbol());
                }
              }))
          : bytes;
    } catch (IllegalArgumentException malformed) {
      return bytes; // the JVM says why, or a class that it needs is missing
    }
  }

  private static boolean isExit(CodeElement element) {
    return element instanceof InvokeInstruction call && isExit(call.method());
  }

  private static boolean isExit(PoolEntry entry) {
    return entry instanceof MemberRefEntry member
        && member.name().equalsString("exit")
        && member.type().equalsString("(I)V")
        && (member.owner().asSymbol().equals(RUNTIME)
            || member.owner().name().equalsString("java/lang/System"));
  }
}
