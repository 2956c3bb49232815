using System;
using System.Collections.Generic;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

/// <summary>Signing of calls and verifying of webhooks, with nothing but the standard library.</summary>
static class PartnerSigning
{
    /// <summary>The string that a signature covers: six lines, joined by line feeds, with none at the end.</summary>
    public static string CanonicalString(string method, string target, string timestamp, string nonce, byte[] body)
    {
        var parts = target.Split(new[] { '?' }, 2);
        var query = CanonicalQuery(parts.Length > 1 ? parts[1] : "");
        using (var sha256 = SHA256.Create())
        {
            return string.Join("\n", method, parts[0], query, timestamp, nonce, Hex(sha256.ComputeHash(body)));
        }
    }

    /// <summary>Pairs sorted by key, then by value, each part encoded as a URI component and ! ' ( ) * as well.</summary>
    public static string CanonicalQuery(string query)
    {
        var pairs = query.Split('&').Where(piece => piece != "").Select(piece => piece.Split(new[] { '=' }, 2))
            .Select(halves => new { Key = Decode(halves[0]), Value = Decode(halves.Length > 1 ? halves[1] : "") })
            .OrderBy(pair => pair.Key, ByBytes).ThenBy(pair => pair.Value, ByBytes);
        return string.Join("&", pairs.Select(pair => Encode(pair.Key) + "=" + Encode(pair.Value)));
    }

    /// <summary>In UTF-8 the order of bytes is that of code points; string.CompareOrdinal goes by UTF-16 units.</summary>
    static readonly IComparer<string> ByBytes = Comparer<string>.Create((a, b) =>
        string.CompareOrdinal(Hex(Encoding.UTF8.GetBytes(a)), Hex(Encoding.UTF8.GetBytes(b))));

    static string Decode(string text)
    {
        return Uri.UnescapeDataString(text.Replace('+', ' '));
    }

    /// <summary>Byte by byte, because what Uri.EscapeDataString leaves alone differs between versions of .NET.</summary>
    static string Encode(string text)
    {
        return string.Concat(Encoding.UTF8.GetBytes(text).Select(unit => IsUnreserved(unit) ? ((char)unit).ToString() : "%" + unit.ToString("X2")));
    }

    static bool IsUnreserved(byte unit)
    {
        return (unit >= 'a' && unit <= 'z') || (unit >= 'A' && unit <= 'Z') || (unit >= '0' && unit <= '9') || "-._~".IndexOf((char)unit) >= 0;
    }

    public static string Sign(byte[] message, byte[] secret)
    {
        using (var hmac = new HMACSHA256(secret))
        {
            return Hex(hmac.ComputeHash(message));
        }
    }

    /// <summary>The four headers of one attempt: each has a nonce and a timestamp of its own.</summary>
    public static Dictionary<string, string> SignedHeaders(string keyId, string secret, string method, string target, byte[] body)
    {
        var timestamp = DateTimeOffset.UtcNow.ToUnixTimeSeconds().ToString();
        var nonce = Guid.NewGuid().ToString();
        var canonical = CanonicalString(method, target, timestamp, nonce, body);
        return new Dictionary<string, string>
        {
            { "X-Partner-Key-Id", keyId },
            { "X-Partner-Timestamp", timestamp },
            { "X-Partner-Nonce", nonce },
            { "X-Partner-Signature", "v1=" + Sign(Encoding.UTF8.GetBytes(canonical), Encoding.UTF8.GetBytes(secret)) },
        };
    }

    /// <summary>The header of a delivery is the bare lower-case hex HMAC of the raw body: no prefix, unlike in calls.</summary>
    public static bool IsSignedWebhook(byte[] rawBody, string signature, byte[] secret)
    {
        var sound = Sign(rawBody, secret);
        var difference = sound.Length ^ signature.Length;
        // Every character is looked at, so that the time it takes does not tell where they differ.
        for (var i = 0; i < sound.Length && i < signature.Length; i++) difference |= sound[i] ^ signature[i];
        return difference == 0;
    }

    static string Hex(byte[] bytes)
    {
        return string.Concat(bytes.Select(unit => unit.ToString("x2")));
    }
}
