package io.nereid.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Whom a client trusts, and who it is. Immutable. Host names are always verified.
 *
 * <pre>{@code
 * Tls tls = Tls.trusting(Path.of("ca.pem")).identity(Path.of("client.pem"), Path.of("client.key"));
 * }</pre>
 */
public final class Tls {
  private static final List<String> KEY_ALGORITHMS = List.of("RSA", "EC", "EdDSA");
  private static final char[] NO_PASSWORD = {};

  private final KeyManager @Nullable [] keyManagers;
  private final TrustManager @Nullable [] trustManagers;

  private Tls(KeyManager @Nullable [] keyManagers, TrustManager @Nullable [] trustManagers) {
    this.keyManagers = keyManagers;
    this.trustManagers = trustManagers;
  }

  /** Trusts the authorities that the JDK does. */
  public static Tls system() {
    return new Tls(null, null);
  }

  /**
   * Trusts the certificates of a file in PEM form, and no others.
   *
   * @throws IllegalArgumentException if it cannot be read
   */
  public static Tls trusting(Path certificates) {
    try {
      KeyStore store = emptyStore();
      for (Certificate certificate : certificates(certificates)) {
        store.setCertificateEntry(Integer.toString(store.size()), certificate);
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return new Tls(null, factory.getTrustManagers());
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException("no certificates are read of " + certificates, e);
    }
  }

  /** Trusts, and identifies itself, as these say; null for the JDK's own or for no identity. */
  public static Tls of(
      KeyManager @Nullable [] keyManagers, TrustManager @Nullable [] trustManagers) {
    return new Tls(
        keyManagers == null ? null : keyManagers.clone(),
        trustManagers == null ? null : trustManagers.clone());
  }

  /**
   * The same with a certificate for servers that ask for one.
   *
   * @param certificates a file in PEM form: the client's, then those up to an authority's
   * @param key a file in PEM form with a key in PKCS 8 ({@code BEGIN PRIVATE KEY}), not encrypted
   * @throws IllegalArgumentException if one cannot be read
   */
  public Tls identity(Path certificates, Path key) {
    try {
      KeyStore store = emptyStore();
      store.setKeyEntry(
          "client",
          privateKey(key),
          NO_PASSWORD,
          certificates(certificates).toArray(Certificate[]::new));
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(store, NO_PASSWORD);
      return new Tls(factory.getKeyManagers(), trustManagers);
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "no identity is read of %s and %s".formatted(certificates, key), e);
    }
  }

  private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static Collection<? extends Certificate> certificates(Path file)
      throws IOException, GeneralSecurityException {
    try (InputStream in = Files.newInputStream(file)) {
      Collection<? extends Certificate> certificates =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (certificates.isEmpty()) {
        throw new IOException("%s has no certificate".formatted(file));
      }
      return certificates;
    }
  }

  private static PrivateKey privateKey(Path file) throws IOException, GeneralSecurityException {
    String text = Files.readString(file);
    String begin = "-----BEGIN PRIVATE KEY-----";
    int from = text.indexOf(begin);
    int to = text.indexOf("-----END PRIVATE KEY-----");
    if (from < 0 || to < from) {
      throw new IOException("%s has no '%s'".formatted(file, begin));
    }
    byte[] key = Base64.getMimeDecoder().decode(text.substring(from + begin.length(), to));
    for (String algorithm : KEY_ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(key));
      } catch (InvalidKeySpecException another) {
        // the next algorithm may be the key's
      }
    }
    throw new IOException("the key of %s is of none of %s".formatted(file, KEY_ALGORITHMS));
  }

  /** For transports: who the client is; null if it has no certificate. */
  public KeyManager @Nullable [] keyManagers() {
    return keyManagers == null ? null : keyManagers.clone();
  }

  /** For transports: whom it trusts; null for the JDK's choice. */
  public TrustManager @Nullable [] trustManagers() {
    return trustManagers == null ? null : trustManagers.clone();
  }

  /** For transports: both in the JDK's form. */
  public SSLContext context() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keyManagers, trustManagers, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK has no TLS", e);
    }
  }
}
