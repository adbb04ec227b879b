package io.nereid.benchmarks.torture.attack;

import io.nereid.benchmarks.torture.server.ServerLauncher;
import io.nereid.benchmarks.torture.server.Target;
import java.util.Optional;

/**
 * Where an attack takes place.
 *
 * @param launcher starts further servers; empty if the server was not started by the campaign
 */
public record Scene(Target target, Scale scale, Optional<ServerLauncher> launcher) {}
