package dev.cupel.runner.contenders;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** What the VM says of its intrinsics. */
final class Hotspot {
  private Hotspot() {}

  /**
   * The code path of what these flags switch: which of them are on. They are diagnostic, and so the
   * VM tells of them only where it was started with {@code -XX:+UnlockDiagnosticVMOptions}.
   */
  static String path(String... flags) {
    HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    List<String> on = new ArrayList<>();
    boolean told = false;
    for (String flag : flags) {
      try {
        if (vm != null && vm.getVMOption(flag).getValue().equals("true")) {
          on.add(flag);
        }
        told |= vm != null;
      } catch (IllegalArgumentException e) {
        // This VM has no such flag, or does not tell of it.
      }
    }
    if (!told) {
      return "java or intrinsic: the VM does not tell";
    }
    return on.isEmpty() ? "java, no intrinsic" : "intrinsic: " + String.join(", ", on);
  }
}
