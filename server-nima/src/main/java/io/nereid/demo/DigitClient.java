package io.nereid.demo;

import java.io.IOException;

/** Asks the server which digit an image shows. */
interface DigitClient extends AutoCloseable {
  /** What the protocol is called. */
  String protocol();

  /** The ten probabilities. */
  float[] probabilities(Sample sample) throws IOException, InterruptedException;

  @Override
  void close();
}
