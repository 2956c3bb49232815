import type { Page, PageRequest } from '../wire/page.ts'
import { type OpenApiDocument, openApiDocument } from './document.ts'

/** The document of this very server: its address, and the choices of its first world. */
export function documentOf({ worlds: { main } }: PageRequest): OpenApiDocument {
  return openApiDocument({ publicUrl: main.publicUrl(), gaps: main.gaps })
}

/** The API as OpenAPI 3.1, for programs. Needs no signature: there is nothing in it that is anybody's. */
export const openApiPage: Page = {
  writes: false,
  worldOf: () => null,
  handle: (request) => ({ status: 200, type: 'application/json', body: JSON.stringify(documentOf(request)) }),
}
