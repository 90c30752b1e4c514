package dev.cupel.tracer;

import dev.cupel.tracer.inside.Hooks;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Puts calls of the hooks around the methods of Java's cryptographic classes: one at the begin, one
 * before each return, and one for whatever is thrown. Signatures, descriptors and fields stay, as
 * the JVM demands of a class that is loaded already.
 */
final class Weaver {
  private static final String DIGEST = "java/security/MessageDigest";
  private static final String DELEGATE = "java/security/MessageDigest$Delegate";
  private static final String MAC = "javax/crypto/Mac";
  private static final String CIPHER = "javax/crypto/Cipher";
  private static final Set<String> COUNTED = Set.of(DIGEST, DELEGATE, MAC, CIPHER);

  /**
   * The classes that call the others in their own work. A digest inside a signature could not be
   * sent to another library, so it does not count.
   */
  private static final Set<String> WITHIN =
      Set.of(
          "java/security/Signature",
          "java/security/SecureRandom",
          "java/security/KeyFactory",
          "java/security/KeyPairGenerator",
          "java/security/KeyPairGenerator$Delegate",
          "java/security/KeyStore",
          "javax/crypto/KDF",
          "javax/crypto/KeyAgreement",
          "javax/crypto/KeyGenerator",
          "javax/crypto/SecretKeyFactory",
          "sun/security/ssl/HKDF",
          "sun/security/util/ManifestEntryVerifier",
          "sun/security/util/SignatureFileVerifier");

  private static final String FROM = "dev/cupel/tracer/inside/";
  private static final String TO = "java/security/Cupel";
  private static final String HOOKS = inside(FROM + "Hooks");

  private Weaver() {}

  /** The name that a class has once it is one of Java's own. */
  static String inside(String name) {
    return name.startsWith(FROM) ? TO + name.substring(FROM.length()) : name;
  }

  /** Whether a class, named with slashes, gets hooks. */
  static boolean isWoven(String name) {
    return COUNTED.contains(name) || WITHIN.contains(name);
  }

  /** A class with hooks. */
  static byte[] weave(byte[] bytes) {
    ClassReader reader = new ClassReader(bytes);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    reader.accept(new WovenClass(writer, reader.getClassName()), ClassReader.EXPAND_FRAMES);
    return writer.toByteArray();
  }

  /** The event of a method for its context; -1 if it gets no hooks. */
  private static int event(String owner, String method, String descriptor) {
    if (WITHIN.contains(owner)) {
      return Hooks.WITHIN;
    }
    switch (method) {
      case "update":
        return Hooks.UPDATE;
      case "digest":
      case "doFinal":
        return Hooks.FINAL;
      case "reset":
        return Hooks.RESET;
      case "init":
        return Hooks.INIT;
      case "clone":
        return Hooks.COPY;
      case "updateAAD":
        return Hooks.AD;
      case "wrap":
      case "unwrap":
        return Hooks.WITHIN;
      default:
        return -1;
    }
  }

  private static final class WovenClass extends ClassVisitor {
    private final String owner;

    WovenClass(ClassVisitor next, String owner) {
      super(Opcodes.ASM9, next);
      this.owner = owner;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
      int without = Opcodes.ACC_STATIC | Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE;
      boolean isOpen = (access & (Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED)) != 0;
      int event = event(owner, name, descriptor);
      if ((access & without) != 0 || !isOpen || name.startsWith("<") || event < 0) {
        return next;
      }
      return new WovenMethod(next, owner, event, descriptor);
    }
  }

  private static final class WovenMethod extends MethodVisitor {
    private final String owner;
    private final int event;
    private final String descriptor;
    private final Type[] arguments;
    private final Label begin = new Label();

    WovenMethod(MethodVisitor next, String owner, int event, String descriptor) {
      super(Opcodes.ASM9, next);
      this.owner = owner;
      this.event = event;
      this.descriptor = descriptor;
      arguments = Type.getArgumentTypes(descriptor);
    }

    @Override
    public void visitCode() {
      super.visitCode();
      super.visitIntInsn(Opcodes.BIPUSH, event);
      hook("enter", "(I" + input() + ")V");
      super.visitLabel(begin);
    }

    /** Pushes the input of the method, and returns its type: an array, or a number. */
    private String input() {
      boolean reads = event == Hooks.UPDATE || event == Hooks.FINAL || event == Hooks.AD;
      String first = reads && arguments.length > 0 ? arguments[0].getDescriptor() : "";
      // An array with one number after it, or with two of a digest, is where the result goes.
      boolean isOutput =
          event == Hooks.FINAL
              && (descriptor.startsWith("([BI)")
                  || (owner.equals(DIGEST) && descriptor.startsWith("([BII)")));
      if (first.equals("Ljava/nio/ByteBuffer;") || (first.equals("[B") && arguments.length == 1)) {
        super.visitVarInsn(Opcodes.ALOAD, 1);
        return first;
      }
      if (first.equals("[B") && !isOutput) {
        super.visitVarInsn(Opcodes.ILOAD, 3);
      } else {
        super.visitInsn(first.equals("B") ? Opcodes.ICONST_1 : Opcodes.ICONST_0);
      }
      return "I";
    }

    @Override
    public void visitInsn(int opcode) {
      if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
        leave();
      }
      super.visitInsn(opcode);
    }

    /** Before a return, with the result on the stack. */
    private void leave() {
      String result = Type.getReturnType(descriptor).getDescriptor();
      if (event == Hooks.INIT && owner.equals(CIPHER)) {
        super.visitVarInsn(Opcodes.ILOAD, 1);
        super.visitVarInsn(Opcodes.ALOAD, 2);
        super.visitVarInsn(Opcodes.ALOAD, 0);
        hook("keyed", "(ILjava/lang/Object;Ljava/lang/Object;)V");
      } else if (event == Hooks.COPY) {
        super.visitInsn(Opcodes.DUP);
        super.visitVarInsn(Opcodes.ALOAD, 0);
        hook("copied", "(Ljava/lang/Object;Ljava/lang/Object;)V");
      } else if (event != Hooks.WITHIN && (result.equals("[B") || result.equals("I"))) {
        super.visitInsn(Opcodes.DUP);
        super.visitVarInsn(Opcodes.ALOAD, 0);
        hook("leave", "(" + result + "Ljava/lang/Object;)V");
      } else {
        super.visitVarInsn(Opcodes.ALOAD, 0);
        hook("leave", "(Ljava/lang/Object;)V");
      }
    }

    @Override
    public void visitMaxs(int stack, int locals) {
      Label end = new Label();
      super.visitLabel(end);
      Object[] present = new Object[1 + arguments.length];
      present[0] = owner;
      for (int i = 0; i < arguments.length; i++) {
        present[1 + i] = inFrame(arguments[i]);
      }
      super.visitFrame(
          Opcodes.F_NEW, present.length, present, 1, new Object[] {"java/lang/Throwable"});
      super.visitInsn(Opcodes.DUP);
      super.visitVarInsn(Opcodes.ALOAD, 0);
      hook("failed", "(Ljava/lang/Throwable;Ljava/lang/Object;)V");
      super.visitInsn(Opcodes.ATHROW);
      // The last one: the method still catches its own exceptions.
      super.visitTryCatchBlock(begin, end, end, null);
      super.visitMaxs(stack, locals);
    }

    private static Object inFrame(Type type) {
      switch (type.getSort()) {
        case Type.OBJECT:
        case Type.ARRAY:
          return type.getInternalName();
        case Type.LONG:
          return Opcodes.LONG;
        case Type.DOUBLE:
          return Opcodes.DOUBLE;
        case Type.FLOAT:
          return Opcodes.FLOAT;
        default:
          return Opcodes.INTEGER;
      }
    }

    private void hook(String name, String descriptor) {
      super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, name, descriptor, false);
    }
  }
}
