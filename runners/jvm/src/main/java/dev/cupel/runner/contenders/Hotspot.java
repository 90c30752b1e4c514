package dev.cupel.runner.contenders;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/** What the VM says of its intrinsics. */
final class Hotspot {
  private Hotspot() {}

  /** The code path of what these flags switch: which of them are on. */
  static String path(String... flags) {
    HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    StringBuilder on = new StringBuilder();
    for (String flag : flags) {
      try {
        if (vm != null && vm.getVMOption(flag).getValue().equals("true")) {
          on.append(on.length() == 0 ? "intrinsics: " : ", ").append(flag);
        }
      } catch (IllegalArgumentException e) {
        // This VM has no such flag.
      }
    }
    return on.length() == 0 ? "java, no intrinsic" : on.toString();
  }
}
