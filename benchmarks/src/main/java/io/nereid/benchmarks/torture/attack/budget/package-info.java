/**
 * Requests of some kilobytes, or of ordinary size, that would have more of the server's memory or
 * time than is theirs.
 */
@NullMarked
package io.nereid.benchmarks.torture.attack.budget;

import org.jspecify.annotations.NullMarked;
