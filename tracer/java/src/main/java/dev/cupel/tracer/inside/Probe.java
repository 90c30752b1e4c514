package dev.cupel.tracer.inside;

/** Finds the {@link Context} of an object. */
final class Probe {
  Object object;

  @Override
  public int hashCode() {
    return System.identityHashCode(object);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Context && ((Context) other).get() == object;
  }
}
