// Bodies as a server may mistake them for those that were signed.

/** A JSON body as it comes out of a parser and a serialiser; anything else as it is. */
export function reserialised(body: Uint8Array): Uint8Array {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(Buffer.from(body).toString('utf8'))))
  } catch {
    return body
  }
}

/** A body whose lines end in LF. */
export function withLineFeeds(body: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(body).toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
}
