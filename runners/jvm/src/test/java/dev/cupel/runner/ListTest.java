package dev.cupel.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * contenders/jvm.toml, which the tool reads if the runner is not built, agrees with the runner's
 * list.
 */
class ListTest {
  @Test
  void theFamilysFileDeclaresWhatIsListed() throws Exception {
    String toml = Files.readString(Path.of("..", "..", "contenders", "jvm.toml"));
    List<String> declared = new ArrayList<>();
    for (String part : toml.substring(toml.indexOf("[[contender]]")).split("\\[\\[contender]]")) {
      // A contender under another name is that contender in another environment.
      if (!part.isBlank() && !part.contains("\nhosted_as = ")) {
        Matcher offers = Pattern.compile("offers = \\[(.*?)]", Pattern.DOTALL).matcher(part);
        offers.find();
        declared.add(
            value(part, "name") + " " + value(part, "library") + " " + quoted(offers.group(1)));
      }
    }
    List<String> listed = new ArrayList<>();
    for (Contender contender : Contenders.all()) {
      JsonObject json = contender.listed();
      Set<String> offers = new TreeSet<>();
      for (JsonElement offer : json.getAsJsonArray("offers")) {
        JsonObject one = offer.getAsJsonObject();
        String key = one.has("key") ? ":key-" + one.get("key").getAsString() : "";
        offers.add(
            one.get("primitive").getAsString() + ":" + one.get("operation").getAsString() + key);
      }
      listed.add(
          json.get("name").getAsString() + " " + json.get("library").getAsString() + " " + offers);
      assertEquals(false, json.has("missing"), json.toString());
    }
    assertEquals(String.join("\n", declared), String.join("\n", listed));
  }

  private static String value(String part, String name) {
    Matcher matcher = Pattern.compile("\n" + name + " = \"(.*)\"").matcher(part);
    matcher.find();
    return matcher.group(1);
  }

  private static Set<String> quoted(String array) {
    Set<String> all = new TreeSet<>();
    Matcher matcher = Pattern.compile("\"([^\"]*)\"").matcher(array);
    while (matcher.find()) {
      all.add(matcher.group(1));
    }
    return all;
  }
}
