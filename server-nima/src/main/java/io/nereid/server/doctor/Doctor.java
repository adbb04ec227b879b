package io.nereid.server.doctor;

import io.nereid.server.metrics.gpu.NvmlCheck;
import io.nereid.spi.Check;
import java.util.ArrayList;
import java.util.List;

/** Looks at the machine, then at the server's settings, then at the backends. */
public final class Doctor {
  private final DoctorSettings settings;
  private final Machine machine;

  Doctor(DoctorSettings settings, Machine machine) {
    this.settings = settings;
    this.machine = machine;
  }

  /** What was found on this machine, in the order in which it is to be read. */
  public static List<Check> examine(DoctorSettings settings) {
    return new Doctor(settings, Machine.current()).run();
  }

  List<Check> run() {
    List<Check> checks = new ArrayList<>();
    checks.addAll(new JvmChecks(machine).run());
    checks.addAll(new MachineChecks(machine, settings.poolBytes()).run());
    NvmlCheck.run().ifPresent(checks::add);
    checks.addAll(new ListenerChecks(settings.listeners()).run());
    settings.openings().forEach(opening -> checks.add(opening.check()));
    var repositories = new RepositoryChecks(settings.repositories(), settings.configs());
    checks.addAll(repositories.checks());
    checks.addAll(settings.backends().checkDirectory());
    checks.addAll(new BackendChecks(settings.backends().check(), repositories.needed()).run());
    return checks;
  }
}
