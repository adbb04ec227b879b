package io.nereid.server.options.frontend;

import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import io.nereid.server.security.TlsSettings;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;

/** The options of TLS: Triton's for gRPC, and the same for HTTP. */
public final class TlsOptions extends OptionGroup {
  private final OfListener http = include(new OfListener("http", "HTTP"));

  private final OptionValue<Boolean> metricsTls =
      toggle("--metrics-use-ssl", false)
          .help(
              "Whether metrics are served over TLS, with the certificates and conditions of HTTP.");

  private final OfListener grpc = include(new OfListener("grpc", "gRPC"));

  /** The five options of one listener. */
  private static final class OfListener extends OptionGroup {
    private final String name;
    private final OptionValue<Boolean> usesTls;
    private final OptionValue<Boolean> isMutual;
    private final OptionValue<Path> certificate;
    private final OptionValue<Path> key;
    private final OptionValue<Path> roots;

    /**
     * @param name with which its options begin
     * @param protocol as the help has it
     */
    OfListener(String name, String protocol) {
      this.name = name;
      usesTls =
          toggle("--%s-use-ssl".formatted(name), false)
              .help("Whether %s is served over TLS.".formatted(protocol));
      isMutual =
          toggle("--%s-use-ssl-mutual".formatted(name), false)
              .help(
                  ("Whether %s is served over TLS to clients with a certificate only, whatever"
                          + " --%s-use-ssl says.")
                      .formatted(protocol, name));
      certificate =
          file("--%s-server-cert=<file>")
              .help(
                  "The server's certificate for %s in PEM, followed by those that signed it."
                      .formatted(protocol));
      key =
          file("--%s-server-key=<file>")
              .help("The private key of that certificate in PEM, not encrypted.");
      roots =
          file("--%s-root-cert=<file>")
              .help(
                  "Certificates in PEM; with --%s-use-ssl-mutual one of them must have signed a client's."
                      .formatted(name));
    }

    private OptionValue<Path> file(String usage) {
      return option(usage.formatted(name), Path.class, null);
    }

    boolean isOn() {
      return usesTls.get() || isMutual.get();
    }

    /** Rejects what cannot be meant, and warns of options without an effect, as in Triton. */
    void check(CommandLine line) {
      if (isOn() && settings().isEmpty()) {
        throw new CommandLine.ParameterException(
            line,
            "--%s-%s needs --%s-%s"
                .formatted(
                    name,
                    usesTls.get() ? "use-ssl" : "use-ssl-mutual",
                    name,
                    certificate.given().isEmpty() ? "server-cert" : "server-key"));
      }
      if (isMutual.get() && roots.given().isEmpty()) {
        throw new CommandLine.ParameterException(
            line, "--%s-use-ssl-mutual needs --%s-root-cert".formatted(name, name));
      }
      if (!isOn() && Stream.of(certificate, key, roots).anyMatch(it -> it.given().isPresent())) {
        warn(line, "certificates are ignored: there is no TLS without --%s-use-ssl=true");
      } else if (isOn() && !isMutual.get() && roots.given().isPresent()) {
        warn(line, "--%1$s-root-cert is ignored without --%1$s-use-ssl-mutual=true");
      }
    }

    private void warn(CommandLine line, String text) {
      line.getErr().println("Warning: %s: %s".formatted(name, text.formatted(name)));
    }

    /** Empty for plain text, or if a file is missing. */
    Optional<TlsSettings> settings() {
      return certificate
          .given()
          .filter(_ -> isOn() && key.given().isPresent())
          .map(file ->
              new TlsSettings(name, file, key.get(), roots.given().filter(_ -> isMutual.get())));
    }
  }

  public void check(CommandLine line) {
    http.check(line);
    grpc.check(line);
    if (metricsTls.get() && !http.isOn()) {
      throw new CommandLine.ParameterException(
          line, "--metrics-use-ssl needs --http-use-ssl, whose certificates it uses");
    }
  }

  /** Empty for plain text. */
  public Optional<TlsSettings> http() {
    return http.settings();
  }

  /** Empty for plain text. */
  public Optional<TlsSettings> grpc() {
    return grpc.settings();
  }

  /** Whether metrics are served with the settings of HTTP, otherwise in plain text. */
  public boolean coversMetrics() {
    return metricsTls.get();
  }
}
