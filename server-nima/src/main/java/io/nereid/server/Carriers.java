package io.nereid.server;

import java.util.Properties;

/**
 * The number of carriers, which are the platform threads that run virtual threads. By default the
 * JDK has one a processor. A carrier is occupied while its thread copies much, writes to a socket
 * or touches fresh memory; with one or two carriers, a few clients of large bodies would then hold
 * up all the others. With some more, the operating system divides the processors between them.
 */
final class Carriers {
  private static final String PARALLELISM = "jdk.virtualThreadScheduler.parallelism";
  private static final int FEWEST = 4;

  private Carriers() {}

  /**
   * Sets the number where processors are few, unless a JVM option has set it. The JDK reads it when
   * the first virtual thread is made.
   */
  static void configure(Properties properties, int processors) {
    if (processors < FEWEST) {
      properties.putIfAbsent(PARALLELISM, Integer.toString(FEWEST));
    }
  }
}
