package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"time"
)

// CanonicalString is what a signature covers: six lines, joined by line feeds, with none at the end.
func CanonicalString(method, target, timestamp, nonce string, body []byte) (string, error) {
	path, query, _ := strings.Cut(target, "?")
	canonicalQuery, err := CanonicalQuery(query)
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256(body)
	lines := []string{method, path, canonicalQuery, timestamp, nonce, hex.EncodeToString(hash[:])}
	return strings.Join(lines, "\n"), nil
}

// CanonicalQuery sorts the pairs by key, then by value, each part encoded as a URI component and ! ' ( ) * as well.
func CanonicalQuery(query string) (string, error) {
	var pairs [][2]string
	for _, piece := range strings.Split(query, "&") {
		if piece == "" {
			continue
		}
		rawKey, rawValue, _ := strings.Cut(piece, "=")
		key, err := url.QueryUnescape(rawKey)
		if err != nil {
			return "", err
		}
		value, err := url.QueryUnescape(rawValue)
		if err != nil {
			return "", err
		}
		pairs = append(pairs, [2]string{key, value})
	}
	// Go compares strings by their bytes, which in UTF-8 is the order of code points.
	sort.Slice(pairs, func(i, j int) bool {
		if pairs[i][0] != pairs[j][0] {
			return pairs[i][0] < pairs[j][0]
		}
		return pairs[i][1] < pairs[j][1]
	})
	parts := make([]string, len(pairs))
	for i, pair := range pairs {
		parts[i] = encode(pair[0]) + "=" + encode(pair[1])
	}
	return strings.Join(parts, "&"), nil
}

// encode is QueryEscape but for the space.
func encode(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}

func Sign(message, secret []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(message)
	return hex.EncodeToString(mac.Sum(nil))
}

// SignedHeaders are the four headers of one attempt: each has a nonce and a timestamp of its own.
func SignedHeaders(keyID, secret, method, target string, body []byte) (map[string]string, error) {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	timestamp, nonce := strconv.FormatInt(time.Now().Unix(), 10), hex.EncodeToString(random)
	canonical, err := CanonicalString(method, target, timestamp, nonce, body)
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"X-Partner-Key-Id":    keyID,
		"X-Partner-Timestamp": timestamp,
		"X-Partner-Nonce":     nonce,
		"X-Partner-Signature": "v1=" + Sign([]byte(canonical), []byte(secret)),
	}, nil
}

// IsSignedWebhook compares with the bare lower-case hex HMAC of the raw body: no prefix, unlike in calls.
func IsSignedWebhook(rawBody []byte, signature string, secret []byte) bool {
	return hmac.Equal([]byte(Sign(rawBody, secret)), []byte(signature))
}
