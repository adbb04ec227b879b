package io.nereid.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.RSAKeyGenParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.PKCS8Generator;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.openssl.jcajce.JceOpenSSLPKCS8EncryptorBuilder;
import org.bouncycastle.openssl.jcajce.JcePEMEncryptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys written by Bouncy Castle, as OpenSSL writes them. */
class PrivateKeyReaderTest {
  private static final BouncyCastleProvider BOUNCY_CASTLE = new BouncyCastleProvider();
  private static final Map<String, KeyPair> PAIRS = new HashMap<>();

  private static PemFile file(String text) {
    return new PemFile("--http-server-key", Path.of("/k.pem"), text);
  }

  /** A pair that all tests of these parameters share: RSA takes a second. */
  private static KeyPair generate(String algorithm, String parameters) throws Exception {
    String name = algorithm + parameters;
    KeyPair pair = PAIRS.get(name);
    if (pair == null) {
      pair = generateNew(algorithm, parameters);
      PAIRS.put(name, pair);
    }
    return pair;
  }

  private static KeyPair generateNew(String algorithm, String parameters) throws Exception {
    AlgorithmParameterSpec specification =
        switch (algorithm) {
          case "RSA" ->
              new RSAKeyGenParameterSpec(Integer.parseInt(parameters), RSAKeyGenParameterSpec.F4);
          case "EC" -> new ECGenParameterSpec(parameters);
          default -> new NamedParameterSpec(parameters);
        };
    var generator = KeyPairGenerator.getInstance(algorithm, BOUNCY_CASTLE);
    generator.initialize(specification);
    return generator.generateKeyPair();
  }

  private static String pem(Object... objects) throws IOException {
    var text = new StringWriter();
    try (var writer = new JcaPEMWriter(text)) {
      for (Object object : objects) {
        writer.writeObject(object);
      }
    }
    return text.toString();
  }

  @ParameterizedTest
  @CsvSource({"RSA,2048", "EC,P-256", "EC,P-384", "EC,P-521", "EdDSA,Ed25519"})
  void readsPkcs8(String algorithm, String parameters) throws Exception {
    KeyPair pair = generate(algorithm, parameters);
    String text = pem(new JcaPKCS8Generator(pair.getPrivate(), null));
    assertThat(text).startsWith("-----BEGIN PRIVATE KEY-----");

    var key = PrivateKeyReader.read(file("written by hand\n" + text));

    assertThat(Credentials.isPair(key, pair.getPublic())).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "RSA,2048,RSA PRIVATE KEY",
    "EC,P-256,EC PRIVATE KEY",
    "EC,P-384,EC PRIVATE KEY",
    "EC,P-521,EC PRIVATE KEY"
  })
  void readsTheOlderFormsOfOpenSsl(String algorithm, String parameters, String label)
      throws Exception {
    KeyPair pair = generate(algorithm, parameters);
    String text = pem(pair.getPrivate());
    assertThat(text).startsWith("-----BEGIN " + label + "-----");

    var key = PrivateKeyReader.read(file(text));

    assertThat(Credentials.isPair(key, pair.getPublic())).isTrue();
  }

  /** As {@code openssl ecparam -genkey} writes it: the curve's name in a block of its own. */
  @Test
  void skipsWhatPrecedesTheKey() throws Exception {
    KeyPair pair = generate("EC", "P-256");
    String text =
        "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
            + pem(pair.getPrivate()).replace("\n", "\r\n");

    assertThat(Credentials.isPair(PrivateKeyReader.read(file(text)), pair.getPublic())).isTrue();
  }

  @Test
  void refusesAnEncryptedKeyAndSaysHowToDecryptIt() throws Exception {
    var key = generate("RSA", "2048").getPrivate();
    var pkcs8 =
        new JcaPKCS8Generator(
            key,
            new JceOpenSSLPKCS8EncryptorBuilder(PKCS8Generator.AES_256_CBC)
                .setProvider(BOUNCY_CASTLE)
                .setPassword("secret".toCharArray())
                .build());
    var text = new StringWriter();
    try (var writer = new JcaPEMWriter(text)) {
      writer.writeObject(
          key,
          new JcePEMEncryptorBuilder("AES-128-CBC")
              .setProvider(BOUNCY_CASTLE)
              .build("secret".toCharArray()));
    }

    for (String encrypted : new String[] {pem(pkcs8), text.toString()}) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> PrivateKeyReader.read(file(encrypted)))
          .withMessage(
              "the private key in '/k.pem' (--http-server-key) is encrypted, which is not supported:"
                  + " store it decrypted, as by 'openssl pkey -in encrypted.pem -out key.pem',"
                  + " readable for the server only");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | '/k.pem' (--http-server-key) has no private key: expected PEM, -----BEGIN PRIVATE"
            + " KEY-----",
        "-----BEGIN PUBLIC KEY-----AAAA-----END PUBLIC KEY----- | '/k.pem' (--http-server-key) has"
            + " no private key: expected PEM, -----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----AAAA | '/k.pem' (--http-server-key) is cut off: a block has no"
            + " end",
        "-----BEGIN DSA PRIVATE KEY-----AAAA-----END DSA PRIVATE KEY----- | '/k.pem'"
            + " (--http-server-key) has a DSA PRIVATE KEY, which is not supported: expected RSA, EC"
            + " or EdDSA",
        "-----BEGIN EC PRIVATE KEY-----MAA=-----END EC PRIVATE KEY----- | the private key in"
            + " '/k.pem' (--http-server-key) is malformed: an EC key does not name its curve"
      },
      quoteCharacter = '`')
  void saysWhatIsWrongWithOtherFiles(String text, String message) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> PrivateKeyReader.read(file(text.replace("''", ""))))
        .withMessage(message);
  }

  /** No bytes lead to another exception than the one with the sentence. */
  @ParameterizedTest
  @ValueSource(strings = {"PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"})
  void rejectsDamagedKeys(String label) throws Exception {
    String text = pem(generate("EC", "P-256").getPrivate());
    byte[] good = new PemFile("", Path.of("k"), text).blocks().getFirst().decode();
    var random = new Random(5);
    for (int i = 0; i < 2000; i++) {
      byte[] damaged = Arrays.copyOf(good, 1 + random.nextInt(good.length));
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      damaged[random.nextInt(Math.min(damaged.length, 12))] = (byte) random.nextInt();
      String block =
          "-----BEGIN %s-----\n%s\n-----END %s-----"
              .formatted(label, Base64.getEncoder().encodeToString(damaged), label);
      try {
        var _ = PrivateKeyReader.read(file(block));
      } catch (InferenceException malformed) {
        assertThat(malformed).hasMessageContaining("is malformed");
      }
    }
  }
}
