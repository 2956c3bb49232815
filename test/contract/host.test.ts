import { expect, it } from 'vitest'
import { whyNoAnswer } from '../../src/contract/host.ts'

it.each([
  ['EPROTO write EPROTO 80:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:a.c:350:', /speaks no TLS/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', /speaks no TLS/],
  ['EPROTO write EPROTO 80:error:0A:SSL routines:tls_process_ske_dhe:dh key too small:a.c:2104:', null],
  ['EPROTO sslv3 alert handshake failure', /^it refused the TLS connection$/],
  ['SELF_SIGNED_CERT_IN_CHAIN', /^its certificate is not trusted; --ca may/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /^its certificate is self-signed, and not trusted; --ca may/],
])('why there is no connection: %s', (code, says) => {
  const why = whyNoAnswer(code, 'https://127.0.0.1:1', '--ca')
  if (says === null) expect(why).toBeNull()
  else expect(why).toMatch(says)
})
