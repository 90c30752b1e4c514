package dev.cupel.tracer.inside;

/** A primitive as one provider has it. Immutable. */
final class Name {
  final CountFile file;

  /** Its place among the file's names; -1 if there is no space for it. */
  final int index;

  /** Whether it is in the catalogue. */
  final boolean isKnown;

  Name(CountFile file, int index, boolean isKnown) {
    this.file = file;
    this.index = index;
    this.isKnown = isKnown;
  }
}
