/** The hashes as services of the Java Cryptography Architecture. */
package dev.cupel.provider;
