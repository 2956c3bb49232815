import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Base64;

/**
 * javac -d out *.java, then
 * java -cp out Client call GET '/api/partner/v1/domains/search?q=solar'
 * java -cp out Client call POST /api/partner/v1/orders order.json order-1
 * java -cp out Client vectors < tasks        see ../README.md
 */
final class Client {
  private Client() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("call")) call(arguments);
    else vectors();
  }

  private static void call(String[] arguments) throws Exception {
    String method = arguments[1];
    String target = arguments[2];
    byte[] body = arguments.length > 3 ? Files.readAllBytes(Path.of(arguments[3])) : new byte[0];
    String url = System.getenv().getOrDefault("PARTNER_URL", "http://127.0.0.1:4600");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + target))
            .method(method, body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    PartnerSigning.signedHeaders(
            System.getenv("PARTNER_KEY_ID"), System.getenv("PARTNER_SECRET"), method, target, body)
        .forEach(request::header);
    if (body.length > 0) request.header("Content-Type", "application/json");
    if (arguments.length > 4) request.header("Idempotency-Key", arguments[4]);
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    var answer = client.send(request.build(), BodyHandlers.ofString());
    System.out.println(answer.statusCode() + " " + answer.body());
  }

  private static byte[] decoded(String field) {
    return field.equals("-") ? new byte[0] : Base64.getDecoder().decode(field);
  }

  private static void vectors() throws IOException, GeneralSecurityException {
    BufferedReader tasks = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = tasks.readLine(); line != null; line = tasks.readLine()) {
      String[] task = line.split(" ");
      if (task[0].equals("call")) {
        String canonical = PartnerSigning.canonicalString(task[1], task[2], task[3], task[4], decoded(task[6]));
        byte[] bytes = canonical.getBytes(UTF_8);
        System.out.println(
            Base64.getEncoder().encodeToString(bytes) + " " + PartnerSigning.sign(bytes, decoded(task[5])));
      } else {
        String signature = new String(decoded(task[2]), UTF_8);
        boolean sound = PartnerSigning.isSignedWebhook(decoded(task[3]), signature, decoded(task[1]));
        System.out.println(sound ? "accepted" : "refused");
      }
    }
  }
}
