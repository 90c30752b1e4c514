package dev.cupel.tracer;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.security.MessageDigest;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;

/** Makes Java's own classes call the hooks. */
public final class Agent {
  /** The classes of {@code inside}: the hooks, and the classes that they use. */
  private static final List<String> INSIDE =
      List.of(
          "ThreadState",
          "Stripe",
          "CountFile",
          "Name",
          "Names",
          "RecentName",
          "Context",
          "Probe",
          "Hooks");

  private Agent() {}

  /**
   * Starts counting into the folder.
   *
   * @throws Exception if this JVM is of a kind or version that cannot be traced
   */
  public static void start(String folder, Instrumentation instrumentation) throws Exception {
    Class<?> hooks = moveInside(instrumentation);
    hooks.getMethod("begin", String.class).invoke(null, folder);
    Transformer transformer = new Transformer();
    instrumentation.addTransformer(transformer, true);
    List<Class<?>> loaded = new ArrayList<>();
    for (Class<?> one : instrumentation.getAllLoadedClasses()) {
      if (Weaver.isWoven(one.getName().replace('.', '/'))) {
        loaded.add(one);
      }
    }
    instrumentation.retransformClasses(loaded.toArray(new Class<?>[0]));
    if (transformer.failed != null) {
      throw transformer.failed;
    }
  }

  /**
   * Defines the hooks as classes of {@code java.security}. Java's own classes cannot call others:
   * those on the class path are loaded by a loader that they do not see, and a longer path of the
   * boot loader makes the JVM print a warning among the program's output.
   */
  private static Class<?> moveInside(Instrumentation instrumentation) throws Exception {
    instrumentation.redefineModule(
        Object.class.getModule(),
        Set.of(),
        Map.of(),
        Map.of("java.security", Set.of(Agent.class.getModule())),
        Set.of(),
        Map.of());
    MethodHandles.Lookup lookup =
        MethodHandles.privateLookupIn(MessageDigest.class, MethodHandles.lookup());
    Class<?> last = null;
    for (String one : INSIDE) {
      last = lookup.defineClass(moved(one));
    }
    return last;
  }

  private static byte[] moved(String one) throws IOException {
    try (InputStream in = Agent.class.getResourceAsStream("inside/" + one + ".class")) {
      ClassReader reader = new ClassReader(in);
      ClassWriter writer = new ClassWriter(0);
      Remapper remapper =
          new Remapper(Opcodes.ASM9) {
            @Override
            public String map(String name) {
              return Weaver.inside(name);
            }
          };
      reader.accept(new ClassRemapper(writer, remapper), 0);
      return writer.toByteArray();
    }
  }

  private static final class Transformer implements ClassFileTransformer {
    volatile RuntimeException failed;

    @Override
    public byte[] transform(
        ClassLoader loader,
        String name,
        Class<?> redefined,
        ProtectionDomain domain,
        byte[] bytes) {
      if (loader != null || name == null || !Weaver.isWoven(name)) {
        return null;
      }
      try {
        return Weaver.weave(bytes);
      } catch (RuntimeException e) {
        failed = e;
        return null;
      }
    }
  }
}
