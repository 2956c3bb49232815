import { type Token, type TokenHandler, Tokenizer, TokenizerMode } from 'parse5'

/** A field of a form, with its initial value. */
interface FormField {
  name: string
  /** `select`, `textarea`, or the type of an input. */
  type: string
  value: string
  checked: boolean
  required: boolean
  /** Values of a select, with the words that stand for them. */
  options: { value: string; text: string }[]
  /** Further words that show what it is for. */
  hints: string
}

interface PageForm {
  id: string
  action: string
  method: string
  encoding: string
  fields: FormField[]
  buttons: {
    text: string
    name: string
    value: string
    id: string
    /** Its own address, verb and encoding, where it has any. */
    action: string | null
    method: string | null
    encoding: string | null
  }[]
}

interface PageLink {
  href: string
  text: string
}

/** What a page offers to a reader who presses its buttons. */
export interface PageContent {
  title: string
  /** The words a reader sees, white space collapsed. */
  text: string
  forms: PageForm[]
  links: PageLink[]
  /** The words beside boxes. */
  labels: string[]
  /** It brings scripts along, so that what it offers may not be in its HTML. */
  scripted: boolean
  /** The form that a script of the page sends by itself, as on the way by a bank; null if there is none. */
  sentByScript: PageForm | null
  /** Where the page leads by itself, and after how long; null if it stays. */
  refresh: { href: string; afterMs: number } | null
}

/** More of a script is not looked at. */
const LONGEST_SCRIPT = 2_000

/** Whether a script sends a form when the page is there, and not when something is done on it. */
function sendsAtOnce(script: string): boolean {
  if (!/\.(submit|requestSubmit)\(/.test(script)) return false
  return /\bonload\b|['"](load|DOMContentLoaded)['"]/.test(script) || !/function|=>/.test(script)
}

/** What undoes a purchase, or ends a visit, is never sent for a reader. */
const UNDOES = /cancel|undo|abort|refund|log-?_?out|sign-?_?out|lang|locale/i

/** Words beside which a line of text ends. */
const BLOCKS = new Set('p div br li tr td th h1 h2 h3 h4 section dt dd label'.split(' '))

/** Elements whose content is not markup, and how it is read. */
const CONTENTS: ReadonlyMap<string, Tokenizer['state']> = new Map([
  ['textarea', TokenizerMode.RCDATA],
  ['title', TokenizerMode.RCDATA],
  ['style', TokenizerMode.RAWTEXT],
  ['noscript', TokenizerMode.RAWTEXT],
  ['iframe', TokenizerMode.RAWTEXT],
  ['template', TokenizerMode.RAWTEXT],
  ['xmp', TokenizerMode.RAWTEXT],
  ['script', TokenizerMode.SCRIPT_DATA],
])

/**
 * Reads the forms, links and words of a page, however careless its HTML. Tags are read one after another, without a tree: hostile
 * markup makes the building of a tree slow, and in a tree a field of a table may stand outside the form that it belongs to.
 *
 * @example readPage('<form action="/pay"><button>Pay</button></form>').forms[0].buttons[0].text // 'Pay'
 */
export function readPage(html: string): PageContent {
  const reading = new PageReading()
  reading.tokenizer.write(html, true)
  return reading.content()
}

/** The state of reading: a class, since every token may change any part of it. */
class PageReading implements TokenHandler {
  readonly tokenizer = new Tokenizer({}, this)
  #form: PageForm | null = null
  readonly #forms: PageForm[] = []
  readonly #links: PageLink[] = []
  /** Fields and buttons that name their form by its id, which may come later. */
  readonly #elsewhere: { form: string; field?: FormField; button?: PageForm['buttons'][number] }[] = []
  readonly #words: string[] = []
  #title = ''
  #scripted = false
  readonly #scripts: string[] = []
  #refresh: PageContent['refresh'] = null
  #inTitle = false
  /** The open element whose content no reader sees. */
  #unseen: string | null = null
  #button: PageForm['buttons'][number] | null = null
  #link: PageLink | null = null
  #label: { text: string; isOfBox: boolean } | null = null
  readonly #labels: { text: string; isOfBox: boolean }[] = []
  #select: FormField | null = null
  #option: { value: string | null; text: string; selected: boolean } | null = null
  #textarea: FormField | null = null

  onCharacter({ chars }: Token.CharacterToken): void {
    const script = this.#unseen === 'script' ? this.#scripts.length - 1 : -1
    if (script >= 0 && (this.#scripts[script] ?? '').length < LONGEST_SCRIPT) this.#scripts[script] += chars
    if (this.#unseen !== null) return
    if (this.#inTitle) this.#title += chars
    else if (this.#textarea) this.#textarea.value += chars
    else if (this.#option) this.#option.text += chars
    else {
      this.#words.push(chars)
      if (this.#button) this.#button.text += chars
      if (this.#link) this.#link.text += chars
      if (this.#label) this.#label.text += chars
    }
  }

  onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.onCharacter(token)
  }

  onStartTag({ tagName: name, attrs }: Token.TagToken): void {
    const content = CONTENTS.get(name)
    if (content !== undefined) this.tokenizer.state = content
    if (content !== undefined && content !== TokenizerMode.RCDATA) this.#unseen = name
    const attributes = new Map(attrs.map((attribute) => [attribute.name, attribute.value]))
    const get = (key: string): string => attributes.get(key) ?? ''
    if (BLOCKS.has(name)) this.#words.push('\n')
    if (name === 'script') {
      this.#scripted = true
      this.#scripts.push('')
    }
    if (name === 'body') this.#scripts.push(get('onload'))
    if (name === 'title') this.#inTitle = true
    if (name === 'meta' && /^refresh$/i.test(get('http-equiv'))) this.#refresh ??= refreshIn(get('content'))
    if (name === 'a' && attributes.has('href')) {
      this.#link = { href: get('href'), text: '' }
      this.#links.push(this.#link)
    }
    if (name === 'form' && !this.#form) {
      const [method, encoding] = [get('method').toUpperCase() || 'GET', get('enctype').toLowerCase()]
      this.#form = { id: get('id'), action: get('action'), method, encoding, fields: [], buttons: [] }
      this.#forms.push(this.#form)
    }
    if (name === 'option') this.#openOption(attributes)
    if (name === 'label') {
      this.#label = { text: '', isOfBox: false }
      this.#labels.push(this.#label)
    }
    if (attributes.has('disabled')) return
    if (name === 'button' && !/^(button|reset)$/i.test(get('type'))) this.#openButton(attributes, '')
    if (name === 'input') this.#input(attributes)
    if (name === 'select' || name === 'textarea') {
      const field = fieldOf(attributes, name)
      if (name === 'select') this.#select = field
      else this.#textarea = field
      this.#place({ field }, get('form'))
    }
  }

  onEndTag({ tagName: name }: Token.TagToken): void {
    if (name === this.#unseen) this.#unseen = null
    if (BLOCKS.has(name)) this.#words.push('\n')
    if (name === 'title') this.#inTitle = false
    if (name === 'a') this.#link = null
    if (name === 'label') this.#label = null
    if (name === 'button') this.#button = null
    if (name === 'textarea') this.#textarea = null
    if (name === 'option' || name === 'select') this.#closeOption()
    if (name === 'select') this.#select = null
    if (name === 'form') this.#form = null
  }

  // Nothing else is for a reader's eyes.
  onComment(): void {}
  onDoctype(): void {}
  onEof(): void {}
  onNullCharacter(): void {}

  content(): PageContent {
    const byId = new Map([...this.#forms].reverse().map((form) => [form.id, form]))
    for (const { form, field, button } of this.#elsewhere) {
      const owner = byId.get(form)
      if (field) owner?.fields.push(field)
      if (button) owner?.buttons.push(button)
    }
    const buttons = this.#forms.flatMap((form) => form.buttons)
    for (const thing of [...buttons, ...this.#links]) thing.text = collapsed(thing.text)
    return {
      title: collapsed(this.#title),
      text: collapsed(this.#words.join('')),
      forms: this.#forms,
      links: this.#links,
      labels: this.#labels.flatMap(({ text, isOfBox }) => (isOfBox ? [collapsed(text)] : [])),
      scripted: this.#scripted,
      sentByScript: this.#sentByScript(),
      refresh: this.#refresh,
    }
  }

  /** The one form that has nothing for a reader to see or press, where a script sends a form. */
  #sentByScript(): PageForm | null {
    if (!this.#scripts.some(sendsAtOnce)) return null
    const [only, another] = this.#forms.filter(
      ({ id, action, method, fields, buttons }) =>
        !UNDOES.test(`${id} ${action.split('?')[0]}`) &&
        method === 'POST' &&
        buttons.length === 0 &&
        fields.length > 0 &&
        fields.every(({ type }) => type === 'hidden'),
    )
    return another ? null : (only ?? null)
  }

  #input(attributes: ReadonlyMap<string, string>): void {
    const type = (attributes.get('type') ?? 'text').toLowerCase()
    if (type === 'submit' || type === 'image') {
      this.#openButton(attributes, attributes.get('value') ?? attributes.get('alt') ?? '')
      this.#button = null
    } else if (type !== 'button' && type !== 'reset') {
      this.#place({ field: fieldOf(attributes, type) }, attributes.get('form') ?? '')
      if (this.#label && (type === 'radio' || type === 'checkbox')) this.#label.isOfBox = true
    }
  }

  #openButton(attributes: ReadonlyMap<string, string>, text: string): void {
    const get = (key: string): string => attributes.get(key) ?? ''
    this.#button = {
      text: text === '' ? get('aria-label') : text,
      name: get('name'),
      value: get('value'),
      id: get('id'),
      action: attributes.get('formaction') ?? null,
      method: attributes.get('formmethod')?.toUpperCase() ?? null,
      encoding: attributes.get('formenctype')?.toLowerCase() ?? null,
    }
    this.#place({ button: this.#button }, get('form'))
  }

  #openOption(attributes: ReadonlyMap<string, string>): void {
    this.#closeOption()
    this.#option = { value: attributes.get('value') ?? null, text: '', selected: attributes.has('selected') }
  }

  #closeOption(): void {
    const option = this.#option
    this.#option = null
    if (!option || !this.#select) return
    const text = collapsed(option.text)
    const value = option.value ?? text
    // A browser sends the option that is selected, else the first.
    if (option.selected || this.#select.options.length === 0) this.#select.value = value
    this.#select.options.push({ value, text })
  }

  #place(part: { field?: FormField; button?: PageForm['buttons'][number] }, form: string): void {
    if (form !== '') this.#elsewhere.push({ form, ...part })
    else if (this.#form && part.field) this.#form.fields.push(part.field)
    else if (this.#form && part.button) this.#form.buttons.push(part.button)
  }
}

/** @example refreshIn('2; url=/done') // { href: '/done', afterMs: 2000 } */
function refreshIn(content: string): PageContent['refresh'] {
  const [, seconds = '', href = ''] =
    /^\s*(\d{1,4})(?:\.\d*)?\s*(?:[;,]\s*(?:url\s*=\s*)?["']?([^"']*))?/i.exec(content) ?? []
  return seconds === '' ? null : { href: href.trim(), afterMs: Number(seconds) * 1_000 }
}

function fieldOf(attributes: ReadonlyMap<string, string>, type: string): FormField {
  const get = (key: string): string => attributes.get(key) ?? ''
  return {
    name: get('name'),
    type,
    value: attributes.get('value') ?? (type === 'checkbox' || type === 'radio' ? 'on' : ''),
    checked: attributes.has('checked'),
    required: attributes.has('required'),
    options: [],
    hints: [get('id'), get('autocomplete'), get('placeholder'), get('aria-label')].join(' '),
  }
}

function collapsed(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** The purpose of a button. */
type ButtonRole = 'pay' | 'cancel' | 'decline'

/** In this order: "Cancel the order" does not order, and "Pay, and be declined" does not pay. */
const ROLES: readonly (readonly [role: ButtonRole, words: RegExp])[] = [
  ['decline', /\b(declines?|declined|decline_payment|refused?|rejected?|fails?|failed|failure)\b/i],
  ['cancel', /\b(cancel(led)?|abort|abandon|go back|back to|return to|no,? thanks|leave)\b/i],
  [
    'pay',
    /\b(pay|pay_now|paid|buy|purchase|order|checkout|check out|confirm|complete|acquire|approve|authori[sz]e)\b/i,
  ],
]

/** What is pressed: a button of a form, or a link. */
export type Pressed =
  | { kind: 'button'; form: PageForm; button: PageForm['buttons'][number] }
  | { kind: 'link'; link: PageContent['links'][number] }

/**
 * The one thing on a page that does what is asked for: by its words, else by its name, value and address. Null if there
 * is none; several are as good as none, unless they are alike.
 *
 * @example findButton(readPage(html), 'pay')
 */
export function findButton(page: PageContent, wanted: string): Pressed | null {
  const buttons = buttonsOf(page)
  const links = page.links.map((link): Pressed => ({ kind: 'link', link }))
  const fits = isButtonRole(wanted)
    ? (pressed: Pressed) => roleOf(pressed) === wanted
    : (pressed: Pressed) => wordsOf(pressed).toLowerCase().includes(wanted.toLowerCase())
  // Beside a button that shows it by itself, the address of another says little: all forms of a checkout may lead to one.
  const fitting = buttons.filter(fits)
  const byThemselves = fitting.filter((pressed) => roleOfButton(pressed) === wanted)
  const named = byThemselves.length > 0 ? byThemselves : fitting
  // A link is not a way to pay, but often a way to leave.
  const candidates =
    wanted === 'pay' ? [named.length > 0 ? named : buttons.filter(goesOn)] : [named, links.filter(fits)]
  for (const [first, ...others] of candidates) {
    if (first && others.every((pressed) => targetOf(pressed) === targetOf(first))) return first
  }
  return null
}

function buttonsOf({ forms }: PageContent): Pressed[] {
  return forms.flatMap((form) => form.buttons.map((button): Pressed => ({ kind: 'button', form, button })))
}

function isButtonRole(word: string): word is ButtonRole {
  return ROLES.some(([role]) => role === word)
}

function roleOf(pressed: Pressed): ButtonRole | null {
  const own = roleOfButton(pressed)
  if (own !== null || pressed.kind === 'link') return own
  return roleIn(plain(pressed.button.action ?? pressed.form.action))
}

/** By its words, else by its value, name and id. */
function roleOfButton(pressed: Pressed): ButtonRole | null {
  const bySight = roleIn(wordsOf(pressed))
  if (bySight !== null || pressed.kind === 'link') return bySight
  const { value, name, id } = pressed.button
  return roleIn(plain(`${value} ${name} ${id}`))
}

/** Words on the button of one of several steps. */
const ON = /\b(continue|next|proceed)\b/i

/** What a form asks of a buyer. */
const OF_A_BUYER = /e-?mail|card|country|address|street|name/i

/** Whether a form is a step of a purchase before the last: it asks for something about the buyer, and goes on. A login does, too. */
function goesOn(pressed: Pressed): boolean {
  if (pressed.kind === 'link') return false
  const { form, button } = pressed
  const asks = ({ type, name, hints }: FormField) => type !== 'hidden' && OF_A_BUYER.test(`${type} ${name} ${hints}`)
  const isLogin = form.fields.some(({ type }) => type === 'password')
  return !isLogin && form.method === 'POST' && ON.test(button.text) && form.fields.some(asks)
}

/** An amount of money. */
const AMOUNT = /[$€£¥]|\b[A-Z]{3} ?\d|\d[.,]\d\d\b/

function roleIn(words: string): ButtonRole | null {
  return ROLES.find(([, pattern]) => pattern.test(words))?.[0] ?? null
}

function wordsOf(pressed: Pressed): string {
  return pressed.kind === 'link' ? pressed.link.text : pressed.button.text
}

/** `pay-now_1` as words; of an address the path only, since its query holds tokens. */
function plain(text: string): string {
  return (text.split('?')[0] ?? '').replaceAll(/[^a-zA-Z]+/g, ' ')
}

function targetOf(pressed: Pressed): string {
  if (pressed.kind === 'link') return pressed.link.href
  const { button, form } = pressed
  return JSON.stringify([button.action ?? form.action, button.name, button.value])
}

/** Whether a buyer could pay here; null if the page may offer it by script, or has buttons that the runner does not recognize. */
export function sells(page: PageContent): boolean | null {
  const roles = buttonsOf(page).map(roleOf)
  // A page that only offers another way asks for an address as well, but names no price.
  if (roles.includes('pay') || (AMOUNT.test(page.text) && buttonsOf(page).some(goesOn))) return true
  return page.scripted || roles.includes(null) ? null : false
}
