package io.nereid.server.grpc.call;

import io.grpc.Metadata;
import io.nereid.server.frontend.LoadReports;
import io.nereid.server.security.ApiCategory;
import io.nereid.server.security.RestrictedApis;
import org.jspecify.annotations.Nullable;

/**
 * Adds reports of the load to the trailers of calls that ask for them. Thread-safe.
 *
 * @param restricted reports are statistics: who may not read these gets no report
 */
public record LoadTrailers(LoadReports reports, RestrictedApis restricted) {
  private static final Metadata.Key<String> FORMAT = text(LoadReports.FORMAT);
  private static final Metadata.Key<String> TEXT = text(LoadReports.TEXT_FIELD);
  private static final Metadata.Key<byte[]> BINARY =
      Metadata.Key.of(LoadReports.BINARY_FIELD, Metadata.BINARY_BYTE_MARSHALLER);

  private static Metadata.Key<String> text(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  /**
   * The format in which a call is to be answered with a report; null for none. Read while the
   * headers are at hand: the thread that answers has none of them in its cache.
   */
  public @Nullable String format(Metadata headers) {
    String format = headers.get(FORMAT);
    return format == null
            || restricted
                .missing(ApiCategory.STATISTICS, name -> GrpcRequests.textMetadata(headers, name))
                .isPresent()
        ? null
        : format;
  }

  /**
   * Adds a report.
   *
   * @param format null for none
   * @return the trailers
   */
  public Metadata addTo(Metadata trailers, @Nullable String format) {
    if (format != null) {
      if (LoadReports.isBinary(format)) {
        reports.binary().ifPresent(report -> trailers.put(BINARY, report));
      } else {
        reports.text(format).ifPresent(report -> trailers.put(TEXT, report));
      }
    }
    return trailers;
  }
}
