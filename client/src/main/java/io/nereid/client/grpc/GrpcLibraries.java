package io.nereid.client.grpc;

import com.google.protobuf.MessageLite;
import io.grpc.Channel;
import java.security.CodeSource;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Which libraries an application lacks, or has in a version that is too old. */
final class GrpcLibraries {
  private static final Pattern OF_PROTOBUF = Pattern.compile("com[./]google[./]protobuf[./]");
  private static final Pattern OF_GRPC_API = Pattern.compile("io/grpc/[A-Z]");

  private GrpcLibraries() {}

  /** What is wrong with the class path, of which something could not be loaded. */
  static IllegalStateException wrong(LinkageError failure) {
    String cause = failure.getCause() + " " + failure.getMessage();
    String protobuf = file(() -> MessageLite.class);
    String api = file(() -> Channel.class);
    String wrong =
        "gRPC needs io.nereid:nereid-protocol, io.grpc:grpc-protobuf, io.grpc:grpc-stub and one of"
            + " io.grpc:grpc-netty, grpc-netty-shaded and grpc-okhttp on the class path";
    if (!protobuf.isEmpty() && OF_PROTOBUF.matcher(cause).find()) {
      wrong =
          "gRPC needs com.google.protobuf:protobuf-java 4.29.3 or later on the class path, which has "
              + protobuf;
    } else if (!api.isEmpty() && OF_GRPC_API.matcher(cause).find()) {
      wrong = "gRPC needs io.grpc:grpc-api 1.34.1 or later on the class path, which has " + api;
    }
    return new IllegalStateException(wrong, failure);
  }

  /** Where a class is from: the file's name has its version; empty if it is not there. */
  private static String file(Supplier<Class<?>> found) {
    try {
      CodeSource source = found.get().getProtectionDomain().getCodeSource();
      return source == null ? "an older one" : source.getLocation().toString();
    } catch (NoClassDefFoundError missing) {
      return "";
    }
  }
}
