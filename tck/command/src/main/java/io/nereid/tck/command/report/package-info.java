/**
 * The result of a run and its forms: JSON, JUnit's XML, a page of HTML, a table of text, and the
 * page that compares results. Knows neither JUnit nor the command line.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.command.report;
