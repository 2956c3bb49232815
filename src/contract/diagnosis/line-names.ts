/** The lines of a canonical string by the names that the document gives them, in their order. */
export const LINE_NAMES = ['METHOD', 'PATH', 'QUERY_STRING', 'TIMESTAMP', 'NONCE', 'BODY_SHA256_HEX'] as const
