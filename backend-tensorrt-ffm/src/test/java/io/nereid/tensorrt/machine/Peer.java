package io.nereid.tensorrt.machine;

/** Sends lines to another process and receives lines from it. */
interface Peer extends AutoCloseable {
  void send(String line) throws Exception;

  String receive() throws Exception;

  @Override
  void close();
}
