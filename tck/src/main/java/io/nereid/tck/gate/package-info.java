/**
 * The backend {@code gate}: it shows a test what a scheduler hands to a model, and runs each batch
 * when the test says so. {@link io.nereid.tck.gate.Gate} is the test's side, found by the model's
 * name, {@link io.nereid.tck.gate.GateBackend} the server's; both must be loaded by one class
 * loader, as they are where the server under test finds its backends on the test's class path.
 *
 * <p>Knows {@code api-spi} only, so that it also runs as anybody's backend in a server process,
 * where nobody could open a gate: a model that sets the parameter {@code gate_open} has none.
 * Executions run on the server's instance threads, everything else on the test's. Read {@link
 * io.nereid.tck.gate.Gate} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.gate;
