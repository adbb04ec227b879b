/** The list of all verifications of servers. It knows them all; none knows it. */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.suite;
