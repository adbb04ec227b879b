/** What several of the benchmarks below share. */
@NullMarked
package io.nereid.benchmarks;

import org.jspecify.annotations.NullMarked;
