package io.nereid.server.security;

import static java.time.temporal.ChronoUnit.DAYS;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.time.Instant;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate authority of tests, made anew for each; all it issues is valid for 127.0.0.1. */
public final class TestAuthority {
  private static final char[] NO_PASSWORD = {};

  private final X509Bundle root;

  public TestAuthority(String name) throws Exception {
    root = builder(name, Algorithm.ecp256).setIsCertificateAuthority(true).buildSelfSigned();
  }

  private static CertificateBuilder builder(String name, Algorithm algorithm) {
    Instant now = Instant.now();
    return new CertificateBuilder()
        .algorithm(algorithm)
        .subject("CN=" + name)
        .notBefore(now.minus(1, DAYS))
        .notAfter(now.plus(1, DAYS));
  }

  /** The root's certificate in PEM. */
  public String pem() {
    return root.getCertificatePEM();
  }

  /** A certificate with a new key of P-256. */
  public X509Bundle issue(String name) throws Exception {
    return issue(name, Algorithm.ecp256);
  }

  X509Bundle issue(String name, Algorithm algorithm) throws Exception {
    return builder(name, algorithm).addSanIpAddress("127.0.0.1").buildIssuedBy(root);
  }

  /** A certificate that ended yesterday. */
  public X509Bundle issueExpired(String name) throws Exception {
    Instant now = Instant.now();
    return builder(name, Algorithm.ecp256)
        .addSanIpAddress("127.0.0.1")
        .notBefore(now.minus(3, DAYS))
        .notAfter(now.minus(1, DAYS))
        .buildIssuedBy(root);
  }

  /** A certificate that an authority below this one issued. */
  public X509Bundle issueIndirectly(String name) throws Exception {
    X509Bundle between =
        builder(name + "'s authority", Algorithm.ecp256)
            .setIsCertificateAuthority(true)
            .buildIssuedBy(root);
    return builder(name, Algorithm.ecp256).addSanIpAddress("127.0.0.1").buildIssuedBy(between);
  }

  /** Writes {@code cert.pem}, {@code key.pem} and {@code roots.pem}, with this one's root. */
  public void write(X509Bundle bundle, Path directory) throws IOException {
    Files.writeString(directory.resolve("cert.pem"), bundle.getCertificatePathPEM());
    Path key = directory.resolve("key.pem");
    Files.writeString(key, bundle.getPrivateKeyPEM());
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    Files.writeString(directory.resolve("roots.pem"), pem());
  }

  /** A context of a client that trusts this authority and has no certificate. */
  public SSLContext client() throws Exception {
    var context = SSLContext.getInstance("TLS");
    context.init(null, trust().getTrustManagers(), null);
    return context;
  }

  /** A context of a client that trusts this authority and shows a certificate. */
  public SSLContext client(X509Bundle certificate) throws Exception {
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(certificate.toKeyStore(NO_PASSWORD), NO_PASSWORD);
    var context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust().getTrustManagers(), null);
    return context;
  }

  private TrustManagerFactory trust() throws Exception {
    var trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(store());
    return trust;
  }

  private KeyStore store() throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setCertificateEntry("root", root.getCertificate());
    return store;
  }
}
