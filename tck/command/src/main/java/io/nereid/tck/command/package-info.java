/**
 * The command {@code tck}: runs the kit's verifications of {@link io.nereid.tck.command.tested} by
 * the JUnit Platform, on the thread of {@code main}, and writes what {@link
 * io.nereid.tck.command.report} makes of the results. Read {@link io.nereid.tck.command.TckCommand}
 * first, then {@link io.nereid.tck.command.SuiteRun}.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.command;
