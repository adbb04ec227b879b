/** Tests of regions and slices, without a server that maps. */
@NullMarked
package io.nereid.client.memory;

import org.jspecify.annotations.NullMarked;
