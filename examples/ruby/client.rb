# frozen_string_literal: true

# ruby client.rb call GET '/api/partner/v1/domains/search?q=solar'
# ruby client.rb call POST /api/partner/v1/orders order.json order-1
# ruby client.rb vectors < tasks        see ../README.md

require 'net/http'
require_relative 'partner_signing'

def call(method, target, body_file = nil, idempotency_key = nil)
  body = body_file ? File.binread(body_file) : ''
  url = URI(ENV.fetch('PARTNER_URL', 'http://127.0.0.1:4600'))
  request = Net::HTTPGenericRequest.new(method, !body.empty?, true, target)
  credential = { key_id: ENV.fetch('PARTNER_KEY_ID'), secret: ENV.fetch('PARTNER_SECRET') }
  PartnerSigning.headers(**credential, method: method, target: target, body: body).each { |name, value| request[name] = value }
  request['Content-Type'] = 'application/json' unless body.empty?
  request['Idempotency-Key'] = idempotency_key if idempotency_key
  request.body = body unless body.empty?
  answer = Net::HTTP.start(url.host, url.port, use_ssl: url.scheme == 'https') { |http| http.request(request) }
  puts "#{answer.code} #{answer.body}"
end

def decoded(field)
  field == '-' ? '' : field.unpack1('m')
end

def vectors
  $stdin.each_line(chomp: true) do |line|
    kind, *fields = line.split
    if kind == 'call'
      method, target, timestamp, nonce, secret, body = fields
      canonical = PartnerSigning.canonical_string(method: method, target: target, timestamp: timestamp, nonce: nonce, body: decoded(body))
      puts "#{[canonical].pack('m0')} #{PartnerSigning.sign(canonical, decoded(secret))}"
    else
      secret, signature, body = fields.map { |field| decoded(field) }
      puts PartnerSigning.signed_webhook?(body, signature, secret) ? 'accepted' : 'refused'
    end
  end
end

mode, *arguments = ARGV
mode == 'call' ? call(*arguments) : vectors
