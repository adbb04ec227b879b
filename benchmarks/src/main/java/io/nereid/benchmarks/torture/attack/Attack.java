package io.nereid.benchmarks.torture.attack;

import io.nereid.benchmarks.torture.server.Needs;
import java.util.OptionalLong;

/** What a hostile or broken client does to a server. Its memory and duration are bounded. */
public interface Attack {
  /** The name on the command line: lower case, with hyphens. */
  String name();

  /** What the client does, for a table. */
  String summary();

  /** What the attack needs of a server that is started for it. */
  default Needs needs() {
    return Needs.NOTHING;
  }

  /** Whether good requests on new connections may be refused while the attack lasts. */
  default boolean takesAllRoom() {
    return false;
  }

  /**
   * How many MiB more the server may have meanwhile, besides its heap; empty if it may have what it
   * likes.
   */
  default OptionalLong growthMebibytes() {
    return OptionalLong.empty();
  }

  /** Whether it can attack only a server that the campaign has started. */
  default boolean startsServers() {
    return false;
  }

  /**
   * Attacks, and returns once the server has had time to answer and all connections are closed. An
   * interrupt ends it early.
   *
   * @throws Exception if the attack itself fails; the campaign reports it as a violation
   */
  Outcome run(Scene scene) throws Exception;
}
