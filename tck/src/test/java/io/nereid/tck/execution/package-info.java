/** Tests of the batch that a backend is given in a test. */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.execution;
