/** Backends that the tests put into jars, with a defect each. */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.command.defect;
