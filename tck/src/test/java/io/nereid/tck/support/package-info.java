/** Tools of the kit's own tests. Read {@link io.nereid.tck.support.Launched} first. */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.support;
