package io.nereid.junit;

/** A server that serves tests. The close stops it. */
public interface RunningServer extends AutoCloseable {
  /** Where it listens. */
  ServerAddresses addresses();

  @Override
  void close();
}
