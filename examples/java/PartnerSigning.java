import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signing of calls and verifying of webhooks, with nothing but the standard library (Java 17 and later). */
final class PartnerSigning {
  private PartnerSigning() {}

  /** The string that a signature covers: six lines, joined by line feeds, with none at the end. */
  static String canonicalString(String method, String target, String timestamp, String nonce, byte[] body)
      throws GeneralSecurityException {
    String[] parts = target.split("\\?", 2);
    String hash = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
    String query = canonicalQuery(parts.length > 1 ? parts[1] : "");
    return String.join("\n", method, parts[0], query, timestamp, nonce, hash);
  }

  private record Pair(String key, String value) {}

  /** By bytes, which in UTF-8 is the order of code points; String.compareTo goes by UTF-16 units. */
  private static final Comparator<String> BY_BYTES =
      (a, b) -> Arrays.compareUnsigned(a.getBytes(UTF_8), b.getBytes(UTF_8));

  /** Pairs sorted by key, then by value, each part encoded as a URI component and ! ' ( ) * as well. */
  static String canonicalQuery(String query) {
    List<Pair> pairs = new ArrayList<>();
    for (String piece : query.split("&")) {
      if (piece.isEmpty()) continue;
      String[] halves = piece.split("=", 2);
      String value = halves.length > 1 ? halves[1] : "";
      pairs.add(new Pair(URLDecoder.decode(halves[0], UTF_8), URLDecoder.decode(value, UTF_8)));
    }
    pairs.sort(Comparator.comparing(Pair::key, BY_BYTES).thenComparing(Pair::value, BY_BYTES));
    return pairs.stream()
        .map(pair -> encode(pair.key()) + "=" + encode(pair.value()))
        .collect(Collectors.joining("&"));
  }

  /** URLEncoder writes form data, which differs in three characters. */
  private static String encode(String text) {
    return URLEncoder.encode(text, UTF_8).replace("+", "%20").replace("*", "%2A").replace("%7E", "~");
  }

  static String sign(byte[] message, byte[] secret) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret, "HmacSHA256"));
    return HexFormat.of().formatHex(mac.doFinal(message));
  }

  /** The four headers of one attempt: each has a nonce and a timestamp of its own. */
  static Map<String, String> signedHeaders(String keyId, String secret, String method, String target, byte[] body)
      throws GeneralSecurityException {
    String timestamp = Long.toString(Instant.now().getEpochSecond());
    String nonce = UUID.randomUUID().toString();
    String canonical = canonicalString(method, target, timestamp, nonce, body);
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("X-Partner-Key-Id", keyId);
    headers.put("X-Partner-Timestamp", timestamp);
    headers.put("X-Partner-Nonce", nonce);
    headers.put("X-Partner-Signature", "v1=" + sign(canonical.getBytes(UTF_8), secret.getBytes(UTF_8)));
    return headers;
  }

  /** The header of a delivery is the bare lower-case hex HMAC of the raw body: no prefix, unlike in calls. */
  static boolean isSignedWebhook(byte[] rawBody, String signature, byte[] secret) throws GeneralSecurityException {
    return MessageDigest.isEqual(sign(rawBody, secret).getBytes(UTF_8), signature.getBytes(UTF_8));
  }
}
