package io.nereid.server.security;

import io.nereid.error.InferenceException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Socket;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * TLS of a listener: versions 1.2 and 1.3, with the JDK's choice of ciphers and with certificates
 * of files, which {@link #reload} reads again. Connections that are open keep what they began with.
 *
 * <p>Certificate, key and roots are replaced at once, and only by files that fit each other, so
 * files may be replaced one after the other. Sessions of the replaced certificates are not resumed:
 * a client whose root was removed has to show a certificate that is still accepted. Thread-safe.
 */
public final class ServerTls {
  private static final System.Logger LOG = System.getLogger(ServerTls.class.getName());
  private static final String RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";
  private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

  /** The contents of all files. */
  private record Files(PemFile certificate, PemFile key, Optional<PemFile> roots) {
    static Files read(TlsSettings settings) {
      return new Files(
          PemFile.read(settings.certificateOption(), settings.certificate()),
          PemFile.read(settings.keyOption(), settings.key()),
          settings.roots().map(path -> PemFile.read(settings.rootsOption(), path)));
    }

    Credentials parse() {
      return Credentials.parse(certificate, key, roots);
    }
  }

  static {
    // Or a client of TLS 1.2 could have the server make one handshake after the other. The JDK
    // reads it before the first handshake of a server.
    System.setProperty(
        RENEGOTIATION, Objects.requireNonNullElse(System.getProperty(RENEGOTIATION), "true"));
  }

  private final TlsSettings settings;
  private final InstantSource time;
  private final ReloadableSslContext context;

  /** When the first certificate that is in use expires. */
  private volatile Instant expiry;

  /** What {@link #context} was made of. */
  private Files files;

  /** Why the files could not be used at the last attempt; empty if they could. */
  private String problem = "";

  /** The problem that the log has. */
  private String reported = "";

  /**
   * Reads the files.
   *
   * @throws InferenceException INVALID_ARGUMENT if they cannot be used; the message names the file
   *     and its option
   */
  public static ServerTls open(TlsSettings settings, InstantSource time) {
    Files files = Files.read(settings);
    return new ServerTls(settings, time, files, files.parse());
  }

  private ServerTls(
      TlsSettings settings, InstantSource time, Files files, Credentials credentials) {
    this.settings = settings;
    this.time = time;
    this.files = files;
    this.context = new ReloadableSslContext(credentials.context(), this::prepare);
    this.expiry = credentials.expiry();
    warn(credentials);
  }

  /** When the first certificate of those that are in use expires. */
  public Instant expiry() {
    return expiry;
  }

  /**
   * Makes engines for connections, as servers, of the certificates that were read last. The context
   * itself is never replaced.
   */
  public SSLContext context() {
    return context;
  }

  /**
   * Puts TLS over a connection, as a server. The handshake begins with the first read or write.
   *
   * @param connection closed with the result
   * @param protocols that the client may choose of, by ALPN
   * @throws IOException if the connection is closed
   */
  public SSLSocket socket(Socket connection, String... protocols) throws IOException {
    var socket =
        (SSLSocket) context.current().getSocketFactory().createSocket(connection, null, true);
    socket.setUseClientMode(false);
    SSLParameters parameters = parameters(socket.getSSLParameters());
    parameters.setApplicationProtocols(protocols);
    socket.setSSLParameters(parameters);
    return socket;
  }

  private SSLEngine prepare(SSLEngine engine) {
    engine.setUseClientMode(false);
    engine.setSSLParameters(parameters(engine.getSSLParameters()));
    return engine;
  }

  private SSLParameters parameters(SSLParameters parameters) {
    parameters.setProtocols(PROTOCOLS);
    parameters.setNeedClientAuth(verifiesClients());
    return parameters;
  }

  /** Whether each client must have a certificate. */
  public boolean verifiesClients() {
    return settings.roots().isPresent();
  }

  /**
   * Reads the files again. If they have changed, new connections use them; if they cannot be used,
   * those that were read last stay in use. The log has a line in either case: of a problem once two
   * calls in a row have seen it, since files that are being replaced do not fit each other.
   */
  synchronized void reload() {
    try {
      Files read = Files.read(settings);
      if (!read.equals(files)) {
        Credentials credentials = read.parse();
        context.replace(credentials.context());
        files = read;
        expiry = credentials.expiry();
        LOG.log(Level.INFO, "{0}: reloaded {1}", settings.listener(), credentials.description());
        warn(credentials);
      }
      problem = "";
      reported = "";
    } catch (InferenceException unusable) {
      String seen = unusable.getMessage();
      if (seen.equals(problem) && !seen.equals(reported)) {
        reported = seen;
        LOG.log(
            Level.WARNING,
            "{0}: changed certificates cannot be used, the present ones stay in use: {1}",
            settings.listener(),
            seen);
      }
      problem = seen;
    }
  }

  private void warn(Credentials credentials) {
    files
        .key
        .exposure()
        .ifPresent(warning ->
            LOG.log(Level.WARNING, "{0}: the private key {1}", settings.listener(), warning));
    credentials
        .warning(time.instant())
        .ifPresent(warning -> LOG.log(Level.WARNING, "{0}: {1}", settings.listener(), warning));
  }
}
