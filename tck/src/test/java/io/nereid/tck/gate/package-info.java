/** Tests of the gate. Read {@link io.nereid.tck.gate.GateTest}. */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.gate;
