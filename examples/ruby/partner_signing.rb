# frozen_string_literal: true

require 'erb'
require 'openssl'
require 'securerandom'
require 'uri'

# Signing of calls and verifying of webhooks, with nothing but the standard library.
module PartnerSigning
  module_function

  # The string that a signature covers: six lines, joined by line feeds, with none at the end.
  def canonical_string(method:, target:, timestamp:, nonce:, body: '')
    path, query = target.split('?', 2)
    [method, path, canonical_query(query.to_s), timestamp, nonce, OpenSSL::Digest::SHA256.hexdigest(body)].join("\n")
  end

  # Pairs sorted by key, then by value, each part encoded as a URI component and ! ' ( ) * as well.
  def canonical_query(query)
    pairs = query.split('&').reject(&:empty?).map do |piece|
      key, value = piece.split('=', 2)
      [key, value.to_s].map { |part| URI.decode_www_form_component(part) }
    end
    # Ruby compares strings by their bytes, which in UTF-8 is the order of code points.
    pairs.sort.map { |pair| pair.map { |part| ERB::Util.url_encode(part) }.join('=') }.join('&')
  end

  def sign(canonical, secret)
    OpenSSL::HMAC.hexdigest('SHA256', secret, canonical)
  end

  # The four headers of one attempt: each has a nonce and a timestamp of its own.
  def headers(key_id:, secret:, method:, target:, body: '')
    timestamp = Time.now.to_i.to_s
    nonce = SecureRandom.uuid
    canonical = canonical_string(method: method, target: target, timestamp: timestamp, nonce: nonce, body: body)
    {
      'X-Partner-Key-Id' => key_id,
      'X-Partner-Timestamp' => timestamp,
      'X-Partner-Nonce' => nonce,
      'X-Partner-Signature' => "v1=#{sign(canonical, secret)}"
    }
  end

  # The header of a delivery is the bare lower-case hex HMAC of the raw body: no prefix, unlike in calls.
  def signed_webhook?(raw_body, signature, secret)
    OpenSSL.secure_compare(OpenSSL::HMAC.hexdigest('SHA256', secret, raw_body), signature)
  end
end
