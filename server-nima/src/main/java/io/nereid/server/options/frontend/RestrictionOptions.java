package io.nereid.server.options.frontend;

import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import io.nereid.server.security.RestrictedApis;
import io.nereid.server.security.RestrictedApis.Group;
import io.nereid.server.security.RestrictedApis.Protocol;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** The options of restricted APIs. */
public final class RestrictionOptions extends OptionGroup {
  private final OptionValue<List<Group>> http =
      list("--http-restricted-api=<api>,...:<key>=<value>", text -> group(Protocol.HTTP, text))
          .secret()
          .help(
              "APIs of HTTP that need the header <key>: <value>. Of health, metadata, inference,"
                  + " shared-memory, model-config, model-repository, statistics, trace, logging,"
                  + " console. Repeatable, with other APIs.");

  private final OptionValue<List<Group>> grpc =
      list("--grpc-restricted-protocol=<api>,...:<key>=<value>", text -> group(Protocol.GRPC, text))
          .secret()
          .help(
              "APIs of gRPC that need the metadata triton-grpc-protocol-<key>: <value>. Otherwise as"
                  + " --http-restricted-api.");

  /** Rejects an API that is given twice for one protocol. */
  public void check(CommandLine line) {
    try {
      var _ = http();
      var _ = grpc();
    } catch (IllegalArgumentException twice) {
      throw new CommandLine.ParameterException(line, twice.getMessage());
    }
  }

  public RestrictedApis http() {
    return RestrictedApis.of(Protocol.HTTP, http.get());
  }

  public RestrictedApis grpc() {
    return RestrictedApis.of(Protocol.GRPC, grpc.get());
  }

  private static Group group(Protocol protocol, String text) {
    try {
      return Group.parse(protocol, text);
    } catch (IllegalArgumentException malformed) {
      throw new TypeConversionException(malformed.getMessage());
    }
  }
}
