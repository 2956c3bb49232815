import { Signal } from '../browser/signal.ts'

const KEY = 'partner-sandbox.operator-token'

/**
 * The operator's token, where the port asks for one: kept in the session storage of this tab, sent in a header, and never part
 * of an address.
 */
export class TokenStore {
  /** Whether the operator port asks for a token that is not here; 'wrong' if one was given and refused, 'stale' if it was once taken. */
  readonly state = new Signal<'sound' | 'missing' | 'wrong' | 'stale'>('sound')
  #value = sessionStorage.getItem(KEY)
  /** What is kept from before was taken then. */
  #wasTaken = this.#value !== null

  get value(): string | null {
    return this.#value
  }

  give(value: string): void {
    // Nothing else can be in a header.
    if (!/^[\x21-\x7e]+$/.test(value)) {
      this.state.set('wrong')
      return
    }
    this.#value = value
    this.#wasTaken = false
    this.state.set('sound')
  }

  /** The port has taken a call with this token: it is kept from now on. */
  taken(sent: string | null): void {
    if (sent === null || sent !== this.#value || this.#wasTaken) return
    this.#wasTaken = true
    sessionStorage.setItem(KEY, sent)
  }

  /** The port has answered 401 to a call with this token, or with none. */
  refused(sent: string | null): void {
    // Several calls may have been on their way with it.
    if (sent !== this.#value) return
    this.state.set(sent === null ? 'missing' : this.#wasTaken ? 'stale' : 'wrong')
    this.#value = null
    sessionStorage.removeItem(KEY)
  }
}
