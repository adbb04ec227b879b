package io.nereid.server.options;

import io.nereid.server.security.TlsSettings;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The options of TLS: Triton's for gRPC, and the same for HTTP. */
public final class TlsOptions {
  @Option(
      names = "--http-use-ssl",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description = "Whether HTTP is served over TLS. Default: ${DEFAULT-VALUE}.")
  private boolean httpTls = false;

  @Option(
      names = "--http-use-ssl-mutual",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description =
          "Whether HTTP is served over TLS to clients with a certificate only, whatever"
              + " --http-use-ssl says. Default: ${DEFAULT-VALUE}.")
  private boolean httpMutual = false;

  @Option(
      names = "--http-server-cert",
      paramLabel = "<file>",
      description = "The server's certificate for HTTP in PEM, followed by those that signed it.")
  private @Nullable Path httpCertificate;

  @Option(
      names = "--http-server-key",
      paramLabel = "<file>",
      description = "The private key of that certificate in PEM, not encrypted.")
  private @Nullable Path httpKey;

  @Option(
      names = "--http-root-cert",
      paramLabel = "<file>",
      description =
          "Certificates in PEM; with --http-use-ssl-mutual one of them must have signed a client's.")
  private @Nullable Path httpRoots;

  @Option(
      names = "--metrics-use-ssl",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description =
          "Whether metrics are served over TLS, with the certificates and conditions of HTTP."
              + " Default: ${DEFAULT-VALUE}.")
  private boolean metricsTls = false;

  @Option(
      names = "--grpc-use-ssl",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description = "Whether gRPC is served over TLS. Default: ${DEFAULT-VALUE}.")
  private boolean grpcTls = false;

  @Option(
      names = "--grpc-use-ssl-mutual",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description =
          "Whether gRPC is served over TLS to clients with a certificate only, whatever"
              + " --grpc-use-ssl says. Default: ${DEFAULT-VALUE}.")
  private boolean grpcMutual = false;

  @Option(
      names = "--grpc-server-cert",
      paramLabel = "<file>",
      description = "The server's certificate for gRPC in PEM, followed by those that signed it.")
  private @Nullable Path grpcCertificate;

  @Option(
      names = "--grpc-server-key",
      paramLabel = "<file>",
      description = "The private key of that certificate in PEM, not encrypted.")
  private @Nullable Path grpcKey;

  @Option(
      names = "--grpc-root-cert",
      paramLabel = "<file>",
      description =
          "Certificates in PEM; with --grpc-use-ssl-mutual one of them must have signed a client's.")
  private @Nullable Path grpcRoots;

  /** The five options of one listener. */
  private record Listener(
      String name,
      boolean usesTls,
      boolean isMutual,
      @Nullable Path certificate,
      @Nullable Path key,
      @Nullable Path roots) {
    boolean isOn() {
      return usesTls || isMutual;
    }

    /** Rejects what cannot be meant, and warns of options without an effect, as in Triton. */
    void check(CommandLine line) {
      if (isOn() && (certificate == null || key == null)) {
        throw new CommandLine.ParameterException(
            line,
            "--%s-%s needs --%s-%s"
                .formatted(
                    name,
                    usesTls ? "use-ssl" : "use-ssl-mutual",
                    name,
                    certificate == null ? "server-cert" : "server-key"));
      }
      if (isMutual && roots == null) {
        throw new CommandLine.ParameterException(
            line, "--%s-use-ssl-mutual needs --%s-root-cert".formatted(name, name));
      }
      if (!isOn() && Stream.of(certificate, key, roots).anyMatch(Objects::nonNull)) {
        warn(line, "certificates are ignored: there is no TLS without --%s-use-ssl=true");
      } else if (isOn() && !isMutual && roots != null) {
        warn(line, "--%1$s-root-cert is ignored without --%1$s-use-ssl-mutual=true");
      }
    }

    private void warn(CommandLine line, String text) {
      line.getErr().println("Warning: %s: %s".formatted(name, text.formatted(name)));
    }

    Optional<TlsSettings> settings() {
      return certificate == null || key == null || !isOn()
          ? Optional.empty()
          : Optional.of(
              new TlsSettings(
                  name,
                  certificate,
                  key,
                  isMutual ? Optional.ofNullable(roots) : Optional.empty()));
    }
  }

  private Listener httpListener() {
    return new Listener("http", httpTls, httpMutual, httpCertificate, httpKey, httpRoots);
  }

  private Listener grpcListener() {
    return new Listener("grpc", grpcTls, grpcMutual, grpcCertificate, grpcKey, grpcRoots);
  }

  void check(CommandLine line) {
    httpListener().check(line);
    grpcListener().check(line);
    if (metricsTls && !httpListener().isOn()) {
      throw new CommandLine.ParameterException(
          line, "--metrics-use-ssl needs --http-use-ssl, whose certificates it uses");
    }
  }

  /** Empty for plain text. */
  public Optional<TlsSettings> http() {
    return httpListener().settings();
  }

  /** Empty for plain text. */
  public Optional<TlsSettings> grpc() {
    return grpcListener().settings();
  }

  /** Whether metrics are served with the settings of HTTP, otherwise in plain text. */
  public boolean coversMetrics() {
    return metricsTls;
  }
}
