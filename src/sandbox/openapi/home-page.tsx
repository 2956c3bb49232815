import type { PageRoute } from '../wire/page.ts'
import { document, Layout } from '../wire/page-kit/layout.tsx'

/** What a browser shows at the address of the API. */
export const homePage: PageRoute = {
  writes: false,
  worldOf: () => null,
  handle: () => ({ status: 200, body: document(<Home />) }),
}

function Home() {
  return (
    <Layout title="Partner API">
      <p>
        A sandbox of the Partner Commerce API answers here, for building and testing against. Programs call the paths
        below <code>/api/partner</code>. Each call must be signed, so a browser that opens these paths gets an error.
      </p>
      <ul>
        <li>
          <a href="/docs">The reference</a>: every endpoint with its fields, and how to sign
        </li>
        <li>
          <a href="/openapi.json">openapi.json</a>: the same for programs
        </li>
      </ul>
      <p>
        Keys and secrets were printed when the sandbox was started; <code>npx partner-sandbox credential list</code>{' '}
        shows the keys again.
      </p>
    </Layout>
  )
}
