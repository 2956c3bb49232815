/** A JSON body as it comes out of a parser and a serialiser; anything else as it is. */
export function reserialised(body: Uint8Array): Uint8Array {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(Buffer.from(body).toString('utf8'))))
  } catch {
    return body
  }
}
