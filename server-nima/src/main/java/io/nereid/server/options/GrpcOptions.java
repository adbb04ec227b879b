package io.nereid.server.options;

import picocli.CommandLine.Option;

/** The options of the gRPC front end. */
public final class GrpcOptions {
  @Option(
      names = "--allow-grpc",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description = "Whether to serve gRPC. Default: ${DEFAULT-VALUE}.")
  private boolean allowed = true;

  @Option(
      names = "--grpc-address",
      paramLabel = "<address>",
      description = "Address to listen on for gRPC. Default: ${DEFAULT-VALUE}.")
  private String address = "0.0.0.0";

  @Option(
      names = "--grpc-port",
      paramLabel = "<port>",
      description = "Port for gRPC; 0 for any free one. Default: ${DEFAULT-VALUE}.")
  private int port = 8001;

  public boolean isAllowed() {
    return allowed;
  }

  public String address() {
    return address;
  }

  /** 0 for any free port. */
  public int port() {
    return port;
  }
}
