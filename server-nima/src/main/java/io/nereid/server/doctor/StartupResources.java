package io.nereid.server.doctor;

import io.nereid.engine.cache.CacheCatalog;
import io.nereid.engine.telemetry.trace.TraceDestination;
import io.nereid.engine.telemetry.trace.export.TraceExporters;
import io.nereid.server.frontend.FrontEndCatalog;
import io.nereid.server.frontend.FrontEndCatalog.Wanted;
import io.nereid.server.options.ServerOptions;
import io.nereid.server.security.ServerTls;
import io.nereid.server.security.TlsSettings;
import io.nereid.spi.cache.ResponseCache;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What {@code serve} opens with its options before it serves, for {@code doctor}. */
final class StartupResources {
  private final ServerOptions options;
  private final List<StartupResource> all = new ArrayList<>();

  private StartupResources(ServerOptions options) {
    this.options = options;
  }

  static List<StartupResource> of(ServerOptions options) {
    var resources = new StartupResources(options);
    resources.addFiles();
    resources.addCertificates("http", options.tls().http());
    resources.addCertificates("grpc", options.tls().grpc());
    resources.addParts();
    return resources.all;
  }

  private void addFiles() {
    addFile("log", "--log-file", options.log().settings().file());
    addFile("access log", "--access-log", options.log().accessLog().orElse(""));
    options
        .schedulerJournal()
        .ifPresent(
            file -> all.add(StartupResource.ofFile("journal", "--scheduler-journal", file.path())));
    if (options.traces().settings(System.getenv()).destination()
        instanceof TraceDestination.Files files) {
      addFile("traces", "--trace-config=triton,file", files.path());
    }
  }

  /**
   * @param file empty for none, - for standard output
   */
  private void addFile(String subject, String option, String file) {
    if (!file.isEmpty() && !file.equals("-")) {
      all.add(StartupResource.ofFile(subject, option, Path.of(file)));
    }
  }

  private void addCertificates(String listener, Optional<TlsSettings> settings) {
    settings.ifPresent(tls ->
        all.add(
            new StartupResource(
                listener + " certificates",
                "--%1$s-server-cert, --%1$s-server-key or --%1$s-root-cert".formatted(listener),
                () -> {
                  ServerTls.open(tls, InstantSource.system());
                  return "can be used";
                })));
  }

  private void addParts() {
    if (!options.cache().plugins().settings().isEmpty()) {
      all.add(
          new StartupResource(
              "response cache",
              "--cache-config or --cache-directory",
              () -> {
                CacheCatalog.open(options.cache().plugins()).ifPresent(ResponseCache::close);
                return "can be opened";
              }));
    }
    if (options.traces().settings(System.getenv()).destination()
        instanceof TraceDestination.OpenTelemetry exporter) {
      all.add(
          new StartupResource(
              "trace exporter",
              "--trace-config",
              () -> {
                TraceExporters.open(
                        options.traces().exporterDirectory(),
                        exporter.mode(),
                        exporter.options(),
                        System.getenv())
                    .close();
                return "can be opened";
              }));
    }
    if (!options.frontEnds().settings().isEmpty()) {
      all.add(
          new StartupResource(
              "front ends",
              "--front-end-config or --front-end-directory",
              () -> {
                FrontEndCatalog parts = FrontEndCatalog.of(options.frontEnds());
                for (Wanted part : parts.wanted(options.http().listener().address())) {
                  var _ = parts.provider(part.listener().name());
                  part.listener().requireFree();
                }
                return "found: " + String.join(", ", options.frontEnds().settings().keySet());
              }));
    }
  }
}
