/** How this module finds values by name. It is not exported. */
@org.jspecify.annotations.NullMarked
package io.nereid.lookup;
