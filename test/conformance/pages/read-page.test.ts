import { describe, expect, it } from 'vitest'
import { fillForm } from '../../../src/conformance/pages/fill-form.ts'
import { findButton, type PageContent, readPage, sells } from '../../../src/conformance/pages/read-page.ts'

type PageForm = PageContent['forms'][number]

function formOf(html: string): PageForm {
  const [form] = readPage(html).forms
  if (!form) throw new Error('there is no form')
  return form
}

/** What is sent when the first button of the first form is pressed. */
function sentBy(
  html: string,
  given: Record<string, string> = {},
  diligence?: 'usual' | 'every field',
): [string, string][] {
  const form = formOf(html)
  const none: PageForm['buttons'][number] = {
    text: '',
    name: '',
    value: '',
    id: '',
    action: null,
    method: null,
    encoding: null,
  }
  return fillForm(form, form.buttons[0] ?? none, given, diligence)
}

function pressedOn(html: string, wanted: string): string | null {
  const pressed = findButton(readPage(html), wanted)
  if (!pressed) return null
  return pressed.kind === 'link' ? pressed.link.href : `${pressed.button.text}/${pressed.button.value}`
}

describe('a page is read', () => {
  it('without minding unquoted values, odd letter case, entities and missing end tags', () => {
    const form = formOf(
      '<FORM ACTION=/pay?a=1&amp;b=2 Method="post"><INPUT NAME=a value=&quot;x&#33;&#x21;><BUTTON>Pay',
    )
    expect(form).toMatchObject({ action: '/pay?a=1&b=2', method: 'POST', fields: [{ name: 'a', value: '"x!!' }] })
    expect(form.buttons.map(({ text }) => text)).toEqual(['Pay'])
  })

  it('without taking comments, scripts and styles for what they contain', () => {
    const html = '<!-- <form> --><script>"<form><button>"</script><style>a{content:"<form>"}</style><p>Hello'
    expect(readPage(html)).toMatchObject({ forms: [], text: 'Hello', scripted: true })
  })

  it('with fields and buttons that name their form from elsewhere', () => {
    const form = formOf(
      '<input name=a form=f><form id=f></form><button form=f>Pay</button><button form=g>Lost</button>',
    )
    expect(form.fields.map(({ name }) => name)).toEqual(['a'])
    expect(form.buttons.map(({ text }) => text)).toEqual(['Pay'])
  })

  it('with no form inside another, as browsers have it', () => {
    expect(readPage('<form id=a><form id=b><input name=x></form>').forms).toHaveLength(1)
  })

  it('with the fields of a table, also if the form begins and ends between its rows', () => {
    const form = formOf('<table><form><tr><td><input name=a></td></tr><tr><td><button>Pay</button></form></table>')
    expect(form).toMatchObject({ fields: [{ name: 'a' }], buttons: [{ text: 'Pay' }] })
  })

  it('with every character that has a name', () => {
    expect(readPage('<p>Zur&uuml;ck &raquo; 5&thinsp;&times;').text).toBe('Zurück » 5 ×')
  })

  it('as text where a sign is no tag', () => {
    expect(readPage('1 < 2 & 3 <> 4').text).toBe('1 < 2 & 3 <> 4')
  })

  it('in time that grows with its length, however hostile', () => {
    for (const piece of ['<', '<a b="', '<!--', '<a b=\'">', '<form><input ', '&#', '</', '<title>', '<a '])
      readPage(piece.repeat(100_000))
  })
})

describe('a form is filled in', () => {
  it('with what it holds already, and hidden fields as they are', () => {
    const html =
      '<form><input type=hidden name=pt value=t><input name=email value=given@b.example><button name=do value=pay>Pay'
    expect(sentBy(html)).toEqual([
      ['pt', 't'],
      ['email', 'given@b.example'],
      ['do', 'pay'],
    ])
  })

  it('by the meaning of a field, whatever it is called', () => {
    const named = (name: string) => sentBy(`<form><input name="${name}"><button>Pay`, { email: 'x@y.example' })
    for (const name of ['email', 'buyer_email', 'buyer[email]', 'e-mail', 'customer.Email'])
      expect(named(name)).toEqual([[name, 'x@y.example']])
    expect(sentBy('<form><input name=f3 type=email><button>Pay', { email: 'x@y.example' })).toEqual([
      ['f3', 'x@y.example'],
    ])
  })

  it('by the words of a choice as well as by its value', () => {
    const html = '<form><select name=country><option value=276>Germany<option value=250>France</select><button>Pay'
    expect(sentBy(html, { country: 'France' })).toEqual([['country', '250']])
    expect(sentBy(html)).toEqual([['country', '276']])
  })

  it('with a choice that a select has, where it has not the one that was meant', () => {
    const html = '<form><select name=country><option>DE<option>FR</select><button>Pay</button></form>'
    expect(sentBy(html, { country: 'NL' })).toEqual([['country', 'DE']])
  })

  it('about the buyer even where nothing is marked as required, and to its last field where that is asked for', () => {
    const html = '<form><input name=full_name><input name=mail><input name=coupon><button>Pay'
    const buyer = [
      ['full_name', 'Conformance Buyer'],
      ['mail', 'buyer@example.com'],
    ]
    expect(sentBy(html)).toEqual([...buyer, ['coupon', '']])
    expect(sentBy(html, {}, 'every field')).toEqual([...buyer, ['coupon', 'Conformance']])
  })

  it('plausibly where it is required and nothing was given, and not at all where it is neither', () => {
    const html = `<form><input name=full_name required><input name=coupon><input type=checkbox name=news>
      <input type=checkbox name=terms value=yes required><input type=radio name=how value=card><input type=radio name=how
      value=wire checked><input name=card_number required><input disabled name=off value=1><button>Pay`
    expect(sentBy(html)).toEqual([
      ['full_name', 'Conformance Buyer'],
      ['coupon', ''],
      ['terms', 'yes'],
      ['card_number', '4242424242424242'],
      ['how', 'wire'],
    ])
  })
})

describe('a button is found', () => {
  it('by its words, whatever they are', () => {
    for (const words of ['Pay now', 'Buy a.test', 'Complete purchase', 'Confirm order', 'Place your order'])
      expect(pressedOn(`<form><button>${words}</button><button>Cancel order</button>`, 'pay')).toBe(`${words}/`)
  })

  it('by its name, value or address where its words say nothing', () => {
    expect(pressedOn('<form><button name=action value=pay>Weiter</button>', 'pay')).toBe('Weiter/pay')
    expect(pressedOn('<form action=/checkout/pay?t=1><button>Weiter</button>', 'pay')).toBe('Weiter/')
    expect(pressedOn('<form><input type=submit name=pay_now value="Los">', 'pay')).toBe('Los/Los')
  })

  it('by its words rather than by an address, which all forms of a checkout may share', () => {
    const html = `<form method=post action=/checkout><button>Pay 12.00</button></form>
      <form action=/checkout/details><button>Change details</button></form>`
    expect(pressedOn(html, 'pay')).toBe('Pay 12.00/')
    // A name says as much as words: of two that may be meant, neither is pressed.
    const named = `<form method=post action=/a><button name=pay>Jetzt kaufen</button></form>`
    expect(pressedOn(`${named}<form action=/b><button>Order status</button></form>`, 'pay')).toBeNull()
  })

  it('for paying, where a first step asks about the buyer and goes on', () => {
    const step = (field: string) => `<form method=post action=/s/address>${field}<button>Continue</button></form>`
    expect(pressedOn(step('<input name=email>'), 'pay')).toBe('Continue/')
    expect(sells(readPage(`EUR 1,200.00${step('<input name=q autocomplete=cc-number placeholder="Card">')}`))).toBe(
      true,
    )
    expect(sells(readPage(`This link has expired.${step('<input name=email>')}`))).toBeNull()
    expect(pressedOn(step('<input name=email><input type=password name=p>'), 'pay')).toBeNull()
    expect(pressedOn(step('<input type=hidden name=email>'), 'pay')).toBeNull()
    expect(pressedOn(step('<input name=q>'), 'pay')).toBeNull()
    expect(pressedOn(step('<input name=email>').replace('post', 'get'), 'pay')).toBeNull()
  })

  it('for canceling as a link too, but never for paying', () => {
    expect(pressedOn('<a href=/back>Back to the shop</a>', 'cancel')).toBe('/back')
    expect(pressedOn('<a href=/pay>Pay</a>', 'pay')).toBeNull()
  })

  it('not where two could be meant, nor where it cannot be pressed', () => {
    expect(pressedOn('<form><button value=1>Pay</button><button value=2>Buy</button>', 'pay')).toBeNull()
    expect(pressedOn('<form><button disabled>Pay</button>', 'pay')).toBeNull()
    expect(pressedOn('<form><button type=button>Pay</button>', 'pay')).toBeNull()
  })

  it('or nobody can tell whether there is one', () => {
    expect(sells(readPage('<form><button>Pay</button></form>'))).toBe(true)
    expect(sells(readPage('<p>This link is no good.</p>'))).toBe(false)
    expect(sells(readPage('<form><button>Weiter</button></form>'))).toBeNull()
    expect(sells(readPage('<script src=app.js></script>'))).toBeNull()
  })
})
