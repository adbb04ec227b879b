/**
 * The backend {@code gate}: it records the batches that a scheduler dispatches to a model, and
 * executes each when the test opens the gate. {@link io.nereid.tck.gate.Gate} is the test's side,
 * found by the model's name, {@link io.nereid.tck.gate.GateBackend} the server's; one class loader
 * must load both, as when the server under test finds its backends on the test's class path.
 *
 * <p>Knows {@code api-spi} only, so that it also runs as an ordinary backend in a server process,
 * where no test can open a gate: a model with the parameter {@code gate_open} has none. Executions
 * run on the server's instance threads, everything else on the test's. Read {@link
 * io.nereid.tck.gate.Gate} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.gate;
