package io.nereid.server.doctor;

import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.model.lint.LintSettings;
import io.nereid.server.metrics.gpu.NvmlCheck;
import io.nereid.server.options.ServerOptions;
import io.nereid.spi.Check;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Looks at the machine, then at the server's settings, then at the backends. */
public final class Doctor {
  private Doctor() {}

  /**
   * What was found on this machine, in the order in which it is to be read.
   *
   * @param options of the server that is to be started
   */
  public static List<Check> examine(ServerOptions options, BackendCatalog backends) {
    Machine machine = Machine.current();
    List<Check> checks = new ArrayList<>();
    checks.addAll(new JvmChecks(machine.jvm()).run());
    checks.addAll(new MachineChecks(machine, options.memory().settings().maxTensorBytes()).run());
    NvmlCheck.run().ifPresent(checks::add);
    checks.addAll(new ListenerChecks(options.listeners()).run());
    StartupResources.of(options).forEach(resource -> checks.add(resource.check()));
    var repositories =
        new RepositoryChecks(
            options.models().repositories(),
            new LintSettings(
                options.models().bareModel(),
                options.models().control().configs(),
                Optional.empty()));
    checks.addAll(repositories.checks());
    checks.addAll(backends.checkDirectory());
    checks.addAll(new BackendChecks(backends.check(), repositories.needed()).run());
    return checks;
  }
}
