import type { SigningKey } from '../../contract/signature.ts'

const KEPT_AS = 'partner-sandbox.docs-credential'

/** The credential in the form of the page: what the page came with, or what was entered and is kept in this tab. */
export class CredentialForm {
  readonly #keyId: HTMLInputElement
  readonly #secret: HTMLInputElement
  readonly #onChange: (keyId: string) => void

  constructor(form: HTMLFormElement, onChange: (keyId: string) => void) {
    this.#keyId = inputIn(form, 'key_id')
    this.#secret = inputIn(form, 'secret')
    this.#onChange = onChange
    this.#restore()
    form.addEventListener('input', () => this.#keep())
    form.addEventListener('submit', (event) => event.preventDefault())
    onChange(this.#keyId.value)
  }

  /** Null while one of the two is missing. */
  get key(): SigningKey | null {
    const [keyId, secret] = [this.#keyId.value.trim(), this.#secret.value.trim()]
    return keyId === '' || secret === '' ? null : { keyId, secret }
  }

  #restore(): void {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEPT_AS) ?? 'null')
    if (!Array.isArray(kept)) return
    this.#keyId.value = String(kept[0])
    this.#secret.value = String(kept[1])
  }

  /** Emptied fields are those that the page came with again, after the next load. */
  #keep(): void {
    const [keyId, secret] = [this.#keyId.value, this.#secret.value]
    if (keyId === '' && secret === '') sessionStorage.removeItem(KEPT_AS)
    else sessionStorage.setItem(KEPT_AS, JSON.stringify([keyId, secret]))
    this.#onChange(keyId.trim())
  }
}

function inputIn(form: HTMLFormElement, name: string): HTMLInputElement {
  const input = form.elements.namedItem(name)
  if (!(input instanceof HTMLInputElement)) throw new Error(`the form has no field ${name}`)
  return input
}
