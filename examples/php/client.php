<?php
declare(strict_types=1);
// php client.php call GET '/api/partner/v1/domains/search?q=solar'
// php client.php call POST /api/partner/v1/orders order.json order-1
// php client.php vectors < tasks        see ../README.md

require __DIR__ . '/partner_signing.php';

function call_api(string $method, string $target, string $bodyFile = '', string $idempotencyKey = ''): void
{
    $body = $bodyFile === '' ? '' : file_get_contents($bodyFile);
    $headers = signed_headers(getenv('PARTNER_KEY_ID'), getenv('PARTNER_SECRET'), $method, $target, $body);
    if ($body !== '') {
        $headers[] = 'Content-Type: application/json';
    }
    if ($idempotencyKey !== '') {
        $headers[] = "Idempotency-Key: $idempotencyKey";
    }
    $http = ['method' => $method, 'header' => $headers, 'ignore_errors' => true] + ($body === '' ? [] : ['content' => $body]);
    $url = (getenv('PARTNER_URL') ?: 'http://127.0.0.1:4600') . $target;
    $answer = file_get_contents($url, false, stream_context_create(['http' => $http]));
    echo explode(' ', $http_response_header[0])[1], ' ', $answer, "\n";
}

function decoded(string $field): string
{
    return $field === '-' ? '' : base64_decode($field, true);
}

function vectors(): void
{
    while (($line = fgets(STDIN)) !== false) {
        $task = explode(' ', rtrim($line, "\n"));
        if ($task[0] === 'call') {
            [, $method, $target, $timestamp, $nonce, $secret, $body] = $task;
            $canonical = canonical_string($method, $target, $timestamp, $nonce, decoded($body));
            echo base64_encode($canonical), ' ', sign($canonical, decoded($secret)), "\n";
        } else {
            [, $secret, $signature, $body] = $task;
            echo is_signed_webhook(decoded($body), decoded($signature), decoded($secret)) ? 'accepted' : 'refused', "\n";
        }
    }
}

$argv[1] === 'call' ? call_api(...array_slice($argv, 2)) : vectors();
