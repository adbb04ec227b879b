package io.nereid.server.doctor;

import io.nereid.spi.Check;
import java.util.List;

/** Checks of the JDK and the options that the JVM was started with. */
record JvmChecks(Jvm jvm) {
  private static final int REQUIRED_JAVA = 25;
  private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";
  private static final String UNSAFE = "--sun-misc-unsafe-memory-access=";

  List<Check> run() {
    return List.of(jdk(), nativeAccess(), unsafe());
  }

  private Check jdk() {
    return jvm.version() >= REQUIRED_JAVA
        ? Check.ok("JDK", jvm.text())
        : Check.problem("JDK", jvm.text(), "install a JDK %d or newer".formatted(REQUIRED_JAVA));
  }

  private Check nativeAccess() {
    if (jvm.nativeAccess()) {
      return Check.ok("native access", "enabled");
    }
    String cure = "start with bin/nereid or 'java -jar', or add " + NATIVE_ACCESS;
    return jvm.arguments().contains("--illegal-native-access=deny")
        ? Check.problem("native access", "denied: no backend can call its library", cure)
        : Check.warning(
            "native access", "not enabled: the JVM prints warnings, and may deny it later", cure);
  }

  /** Netty and protobuf use it; without, they are slower or print warnings. */
  private Check unsafe() {
    boolean allowed = jvm.arguments().contains(UNSAFE + "allow");
    return allowed
        ? Check.ok("sun.misc.Unsafe", "allowed")
        : Check.warning(
            "sun.misc.Unsafe",
            "not allowed: gRPC is slower, or the JVM prints warnings",
            "start with bin/nereid, or add " + UNSAFE + "allow");
  }
}
