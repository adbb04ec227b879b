package io.nereid.server.security;

import io.nereid.error.InferenceException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * What the files of one listener contain: a key, its certificates, and the roots of clients. Made
 * only of files that fit each other.
 *
 * @param roots empty if clients need no certificate
 */
record Credentials(PrivateKey key, List<X509Certificate> chain, List<X509Certificate> roots) {
  private static final char[] NO_PASSWORD = {};

  Credentials {
    chain = List.copyOf(chain);
    roots = List.copyOf(roots);
  }

  /**
   * Reads the contents of files.
   *
   * @throws InferenceException INVALID_ARGUMENT if a file has not what it should have, or the key
   *     is another certificate's
   */
  static Credentials parse(PemFile certificate, PemFile key, Optional<PemFile> roots) {
    List<X509Certificate> chain = certificates(certificate);
    PrivateKey privateKey = PrivateKeyReader.read(key);
    if (!isPair(privateKey, chain.getFirst().getPublicKey())) {
      throw InferenceException.invalid(
          "the private key in %s does not belong to the certificate in %s"
              .formatted(key, certificate));
    }
    for (int i = 1; i < chain.size(); i++) {
      if (!isSigned(chain.get(i - 1), chain.get(i))) {
        throw InferenceException.invalid(
            "certificate %d in %s did not sign the one before it: expected the server's certificate"
                    .formatted(i + 1, certificate)
                + " first, then the one that signed it, and so on");
      }
    }
    return new Credentials(
        privateKey, chain, roots.map(Credentials::certificates).orElse(List.of()));
  }

  private static List<X509Certificate> certificates(PemFile file) {
    List<X509Certificate> certificates = new ArrayList<>();
    for (PemFile.Block block : file.blocks()) {
      if (block.label().equals("CERTIFICATE") || block.label().equals("X509 CERTIFICATE")) {
        try {
          certificates.add(
              (X509Certificate)
                  CertificateFactory.getInstance("X.509")
                      .generateCertificate(new ByteArrayInputStream(block.decode())));
        } catch (CertificateException | RuntimeException malformed) { // the JDK checks no indices
          throw InferenceException.invalid(
              "certificate %d in %s is malformed: %s"
                  .formatted(certificates.size() + 1, file, malformed.getMessage()));
        }
      }
    }
    if (certificates.isEmpty()) {
      throw InferenceException.invalid(
          "%s has no certificate: expected PEM, -----BEGIN CERTIFICATE-----".formatted(file));
    }
    return certificates;
  }

  /** Whether what one key signs is verified by the other. */
  static boolean isPair(PrivateKey key, PublicKey certified) {
    if (key instanceof RSAKey rsa) {
      return certified instanceof RSAKey other && rsa.getModulus().equals(other.getModulus());
    }
    String algorithm = key.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "EdDSA";
    try {
      Signature signing = Signature.getInstance(algorithm);
      signing.initSign(key);
      Signature verifying = Signature.getInstance(algorithm);
      verifying.initVerify(certified);
      return verifying.verify(signing.sign());
    } catch (GeneralSecurityException _) {
      return false; // of another algorithm or curve
    }
  }

  private static boolean isSigned(X509Certificate certificate, X509Certificate issuer) {
    try {
      certificate.verify(issuer.getPublicKey());
      return true;
    } catch (GeneralSecurityException _) {
      return false;
    }
  }

  /** When the first certificate of the chain expires. */
  Instant expiry() {
    return chain.stream()
        .map(each -> each.getNotAfter().toInstant())
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }

  /** A context for connections; each has its own cache of sessions. */
  SSLContext context() {
    try {
      KeyStore keys = emptyStore();
      keys.setKeyEntry("server", key, NO_PASSWORD, chain.toArray(X509Certificate[]::new));
      var keyManagers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keyManagers.init(keys, NO_PASSWORD);
      var context = SSLContext.getInstance("TLS");
      context.init(keyManagers.getKeyManagers(), trustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException failed) {
      throw new IllegalStateException("the JDK rejects keys that it has read", failed);
    }
  }

  private TrustManager @Nullable [] trustManagers() throws GeneralSecurityException, IOException {
    if (roots.isEmpty()) {
      return null;
    }
    KeyStore trusted = emptyStore();
    for (int i = 0; i < roots.size(); i++) {
      trusted.setCertificateEntry("root " + i, roots.get(i));
    }
    var trustManagers = TrustManagerFactory.getInstance("PKIX");
    trustManagers.init(trusted);
    return trustManagers.getTrustManagers();
  }

  private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  /** What clients will reject; empty if all certificates are valid now. */
  Optional<String> warning(Instant now) {
    for (X509Certificate certificate : chain) {
      if (now.isAfter(certificate.getNotAfter().toInstant())) {
        return Optional.of(
            "the certificate of %s expired at %s"
                .formatted(
                    certificate.getSubjectX500Principal(), certificate.getNotAfter().toInstant()));
      }
      if (now.isBefore(certificate.getNotBefore().toInstant())) {
        return Optional.of(
            "the certificate of %s is not valid before %s"
                .formatted(
                    certificate.getSubjectX500Principal(), certificate.getNotBefore().toInstant()));
      }
    }
    return Optional.empty();
  }

  /** The server's certificate in words. */
  String description() {
    X509Certificate own = chain.getFirst();
    return "certificate of %s, serial number %s, valid until %s"
        .formatted(
            own.getSubjectX500Principal(),
            own.getSerialNumber().toString(16),
            own.getNotAfter().toInstant());
  }
}
