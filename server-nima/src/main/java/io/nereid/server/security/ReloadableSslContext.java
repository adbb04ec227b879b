package io.nereid.server.security;

import java.security.SecureRandom;
import java.util.function.Function;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/**
 * A context whose engines are made by another one, the one that {@link #replace} was given last.
 * For libraries that ask for an engine per connection; it has no socket factories, which a library
 * would keep. Thread-safe.
 */
final class ReloadableSslContext extends SSLContext {
  private final Delegation delegation;

  /**
   * @param prepare configures each engine before it is used
   */
  ReloadableSslContext(SSLContext context, Function<SSLEngine, SSLEngine> prepare) {
    this(new Delegation(context, prepare), context);
  }

  private ReloadableSslContext(Delegation delegation, SSLContext context) {
    super(delegation, context.getProvider(), context.getProtocol());
    this.delegation = delegation;
  }

  SSLContext current() {
    return delegation.context;
  }

  void replace(SSLContext context) {
    delegation.context = context;
  }

  private static final class Delegation extends SSLContextSpi {
    private final Function<SSLEngine, SSLEngine> prepare;
    private volatile SSLContext context;

    Delegation(SSLContext context, Function<SSLEngine, SSLEngine> prepare) {
      this.context = context;
      this.prepare = prepare;
    }

    @Override
    protected SSLEngine engineCreateSSLEngine() {
      return prepare.apply(context.createSSLEngine());
    }

    @Override
    protected SSLEngine engineCreateSSLEngine(String host, int port) {
      return prepare.apply(context.createSSLEngine(host, port));
    }

    @Override
    protected SSLSessionContext engineGetServerSessionContext() {
      return context.getServerSessionContext();
    }

    @Override
    protected SSLSessionContext engineGetClientSessionContext() {
      return context.getClientSessionContext();
    }

    @Override
    protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random) {
      throw new UnsupportedOperationException("made of a context that is initialised");
    }

    @Override
    protected SSLSocketFactory engineGetSocketFactory() {
      throw new UnsupportedOperationException("a factory would keep the first certificate");
    }

    @Override
    protected SSLServerSocketFactory engineGetServerSocketFactory() {
      throw new UnsupportedOperationException("a factory would keep the first certificate");
    }
  }
}
