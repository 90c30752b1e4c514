package dev.cupel.runner.contenders;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** The VM's report on its intrinsics. */
final class Hotspot {
  private Hotspot() {}

  /**
   * The code path that these flags control: which of them are on. They are diagnostic flags, so the
   * VM reports them only if it was started with {@code -XX:+UnlockDiagnosticVMOptions}.
   */
  static String path(String... flags) {
    HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    List<String> on = new ArrayList<>();
    boolean reported = false;
    for (String flag : flags) {
      try {
        if (vm != null && vm.getVMOption(flag).getValue().equals("true")) {
          on.add(flag);
        }
        reported |= vm != null;
      } catch (IllegalArgumentException e) {
        // This VM has no such flag, or does not report it.
      }
    }
    if (!reported) {
      return "java or intrinsic: the VM does not tell";
    }
    return on.isEmpty() ? "java, no intrinsic" : "intrinsic: " + String.join(", ", on);
  }
}
