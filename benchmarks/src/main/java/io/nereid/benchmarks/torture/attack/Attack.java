package io.nereid.benchmarks.torture.attack;

import io.nereid.benchmarks.torture.server.Needs;
import java.util.OptionalLong;

/**
 * What a hostile or broken client does to a server. Its memory and duration are bounded.
 *
 * @param name on the command line: lower case, with hyphens
 * @param summary what the client does, for a table
 * @param needs what the attack needs of a server that is started for it
 * @param growthMebibytes how many MiB more the server may have meanwhile, besides its heap; empty
 *     if it may have what it likes
 * @param takesAllRoom whether good requests on new connections may be refused while it lasts
 * @param startsServers whether it can attack only a server that the campaign has started
 */
public record Attack(
    String name,
    String summary,
    Script script,
    Needs needs,
    OptionalLong growthMebibytes,
    boolean takesAllRoom,
    boolean startsServers) {
  /** What an attack does. */
  public interface Script {
    /**
     * Attacks, and returns once the server has had time to answer and all connections are closed.
     * An interrupt ends it early.
     *
     * @throws Exception if the attack itself fails; the campaign reports it as a violation
     */
    AttackOutcome run(Scene scene) throws Exception;
  }

  public static Attack of(String name, String summary, Script script) {
    return new Attack(name, summary, script, Needs.NOTHING, OptionalLong.empty(), false, false);
  }

  /**
   * An attack on the memory of a server that has 1 GiB for tensors: it takes a client's share, and
   * the server may grow by that memory and a little more: sockets, code that is compiled, threads.
   */
  public static Attack onMemory(String name, String summary, Script script) {
    var needs = Needs.options("--max-tensor-memory=1073741824");
    var growth = OptionalLong.of(1_024 + 256);
    return new Attack(name, summary, script, needs, growth, false, false);
  }

  public Attack needing(Needs server) {
    return new Attack(name, summary, script, server, growthMebibytes, takesAllRoom, startsServers);
  }

  public Attack takingAllRoom() {
    return new Attack(name, summary, script, needs, growthMebibytes, true, startsServers);
  }

  public Attack startingServers() {
    return new Attack(name, summary, script, needs, growthMebibytes, takesAllRoom, true);
  }
}
