<?php
declare(strict_types=1);

/** The string that a signature covers: six lines, joined by line feeds, with none at the end. */
function canonical_string(string $method, string $target, string $timestamp, string $nonce, string $body): string
{
    [$path, $query] = explode('?', $target, 2) + [1 => ''];
    $hash = hash('sha256', $body);
    return implode("\n", [$method, $path, canonical_query($query), $timestamp, $nonce, $hash]);
}

/** Pairs sorted by key, then by value, each part encoded as a URI component and ! ' ( ) * as well. */
function canonical_query(string $query): string
{
    $pairs = [];
    // parse_str() will not do: it drops repeated keys and renames others.
    foreach (explode('&', $query) as $piece) {
        if ($piece !== '') {
            $pairs[] = array_map('urldecode', explode('=', $piece, 2) + [1 => '']);
        }
    }
    // strcmp() compares bytes, which in UTF-8 is the order of code points.
    usort($pairs, fn ($a, $b) => strcmp($a[0], $b[0]) ?: strcmp($a[1], $b[1]));
    return implode('&', array_map(fn ($pair) => rawurlencode($pair[0]) . '=' . rawurlencode($pair[1]), $pairs));
}

function sign(string $canonical, string $secret): string
{
    return hash_hmac('sha256', $canonical, $secret);
}

/** The four headers of one attempt: each has a nonce and a timestamp of its own. */
function signed_headers(string $keyId, string $secret, string $method, string $target, string $body): array
{
    $timestamp = (string) time();
    $nonce = bin2hex(random_bytes(16));
    $signature = sign(canonical_string($method, $target, $timestamp, $nonce, $body), $secret);
    return [
        "X-Partner-Key-Id: $keyId",
        "X-Partner-Timestamp: $timestamp",
        "X-Partner-Nonce: $nonce",
        "X-Partner-Signature: v1=$signature",
    ];
}

/** The header of a delivery is the bare lower-case hex HMAC of the raw body: no prefix, unlike in calls. */
function is_signed_webhook(string $rawBody, string $signature, string $secret): bool
{
    return hash_equals(hash_hmac('sha256', $rawBody, $secret), $signature);
}
