@org.jspecify.annotations.NullMarked
package io.nereid.tck.command.report;
