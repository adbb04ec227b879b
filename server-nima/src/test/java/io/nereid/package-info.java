/** The rules that hold between the packages. Read {@link io.nereid.ArchitectureTest}. */
@org.jspecify.annotations.NullMarked
package io.nereid;
