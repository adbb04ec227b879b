package io.nereid.server.options;

import io.nereid.server.security.RestrictedApis;
import io.nereid.server.security.RestrictedApis.Group;
import io.nereid.server.security.RestrictedApis.Protocol;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of restricted APIs. */
public final class RestrictionOptions {
  @Option(
      names = "--http-restricted-api",
      paramLabel = "<api>,...:<key>=<value>",
      converter = Http.class,
      description =
          "APIs of HTTP that need the header <key>: <value>. Of health, metadata, inference,"
              + " shared-memory, model-config, model-repository, statistics, trace, logging."
              + " Repeatable, with other APIs.")
  private List<Group> http = new ArrayList<>();

  @Option(
      names = "--grpc-restricted-protocol",
      paramLabel = "<api>,...:<key>=<value>",
      converter = Grpc.class,
      description =
          "APIs of gRPC that need the metadata triton-grpc-protocol-<key>: <value>. Otherwise as"
              + " --http-restricted-api.")
  private List<Group> grpc = new ArrayList<>();

  /** Rejects an API that is given twice for one protocol. */
  void check(CommandLine line) {
    try {
      var _ = http();
      var _ = grpc();
    } catch (IllegalArgumentException twice) {
      throw new CommandLine.ParameterException(line, twice.getMessage());
    }
  }

  public RestrictedApis http() {
    return RestrictedApis.of(Protocol.HTTP, http);
  }

  public RestrictedApis grpc() {
    return RestrictedApis.of(Protocol.GRPC, grpc);
  }

  static final class Http implements ITypeConverter<Group> {
    @Override
    public Group convert(String text) {
      return group(Protocol.HTTP, text);
    }
  }

  static final class Grpc implements ITypeConverter<Group> {
    @Override
    public Group convert(String text) {
      return group(Protocol.GRPC, text);
    }
  }

  private static Group group(Protocol protocol, String text) {
    try {
      return Group.parse(protocol, text);
    } catch (IllegalArgumentException malformed) {
      throw new TypeConversionException(malformed.getMessage());
    }
  }
}
