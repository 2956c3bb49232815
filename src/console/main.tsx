import { render } from 'preact'
import { createClient } from './api/client.ts'
import { TokenStore } from './api/token.ts'
import { App } from './app.tsx'
import { ThemeStore } from './browser/theme.ts'
import { Toasts } from './kit/toasts.ts'
import { Router } from './router/router.ts'

const token = new TokenStore()
const services = {
  token,
  client: createClient(token),
  router: new Router(),
  theme: new ThemeStore(),
  toasts: new Toasts(),
}
const root = document.getElementById('console')
if (root) render(<App services={services} />, root)
