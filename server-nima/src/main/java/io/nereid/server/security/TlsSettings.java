package io.nereid.server.security;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The files of a listener's TLS, all in PEM.
 *
 * @param listener the prefix of its options: {@code http} or {@code grpc}
 * @param certificate the server's certificate, followed by those between it and the root
 * @param key the private key of the first certificate
 * @param roots a client must have a certificate that one of these signed, directly or by others;
 *     empty: a client needs no certificate
 */
public record TlsSettings(String listener, Path certificate, Path key, Optional<Path> roots) {
  String certificateOption() {
    return "--" + listener + "-server-cert";
  }

  String keyOption() {
    return "--" + listener + "-server-key";
  }

  String rootsOption() {
    return "--" + listener + "-root-cert";
  }
}
