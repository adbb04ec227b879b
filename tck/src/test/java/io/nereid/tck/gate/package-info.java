/** The gate, held to the kit and to its word. Read {@link io.nereid.tck.gate.GateTest}. */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.gate;
