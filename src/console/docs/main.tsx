import { addCopyButtons } from './code-block.tsx'
import { CredentialForm } from './credential.ts'
import { startSearch } from './search.ts'
import { wireForm } from './try-it.tsx'

/** Adds the parts of the page that need a script: search, copy buttons, and calls that are signed in the browser. */
function start(): void {
  const form = document.querySelector<HTMLFormElement>('#credential')
  const search = document.querySelector<HTMLInputElement>('#search')
  if (!form || !search) return
  const credential = new CredentialForm(form, showSigner)
  for (const one of document.querySelectorAll<HTMLFormElement>('.try form')) wireForm(one, credential)
  startSearch(search)
  addCopyButtons()
  for (const part of document.querySelectorAll<HTMLElement>('[data-scripted]')) part.hidden = false
  addEventListener('hashchange', openTarget)
  if (location.hash !== '') openTarget()
}

function showSigner(keyId: string): void {
  for (const place of document.querySelectorAll('[data-signer]')) place.textContent = keyId || 'no credential yet'
}

start()

/** Opens what the address leads to, for browsers that do not open it by themselves. */
function openTarget(): void {
  const target = document.querySelector(':target')
  if (!target) return
  for (let part = target.closest('details'); part; part = part.parentElement?.closest('details') ?? null)
    part.open = true
  target.scrollIntoView()
}
