/** Names and values in turn, as Node reads them off the wire. */
export type RawHeaders = readonly string[]

/** A header's values, each occurrence one by one; names are compared without regard to case. */
export function headerValuesOf(rawHeaders: RawHeaders, name: string): string[] {
  const wanted = name.toLowerCase()
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === wanted)
}

/** Every header name, as it was sent. */
export function headerNamesOf(rawHeaders: RawHeaders): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 0)
}
