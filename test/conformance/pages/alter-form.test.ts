import { describe, expect, it } from 'vitest'
import { alteredForms, alteredUrls } from '../../../src/conformance/pages/alter-token.ts'
import { fillForm } from '../../../src/conformance/pages/fill-form.ts'
import { findButton, type Pressed, readPage } from '../../../src/conformance/pages/read-page.ts'
import { Open } from '../../../src/conformance/result/open.ts'

const PAGE = 'https://shop.test/pay?pt=abc'
const LAST = { query: 'pt', at: [-1], how: 'other' } as const

function payOn(html: string): Pressed {
  const pressed = findButton(readPage(html), 'pay')
  if (!pressed) throw new Error('there is no button')
  return pressed
}

describe('the token of a form is altered', () => {
  it('in the address that it is sent to', () => {
    const [first] = alteredForms(PAGE, payOn('<form method=post action="/pay?lang=en&amp;pt=abc"><button>Pay'), LAST)
    expect(first).toMatchObject({
      position: 2,
      pressed: { button: { action: 'https://shop.test/pay?lang=en&pt=ab8' } },
    })
  })

  it('in its hidden field, where the address has none, and nowhere else', () => {
    const pressed = payOn(
      '<form method=post action=/pay><input type=hidden name=pt value="a/b+c"><input name=x><button>Pay',
    )
    const [first] = alteredForms('https://shop.test/pay', pressed, LAST)
    expect(first && fillForm(first.pressed.form, first.pressed.button, {})).toEqual([
      ['pt', 'a/b+8'],
      ['x', ''],
    ])
    expect(pressed).toMatchObject({ form: { fields: [{ value: 'a/b+c' }, {}] } })
  })

  it('in a hidden field of another name, if that repeats the value in the address of the page', () => {
    const html =
      '<form method=post action=/pay><input type=hidden name=other value=x><input type=hidden name=token value=abc>'
    const [first] = alteredForms(PAGE, payOn(`${html}<button>Pay`), LAST)
    expect(first && fillForm(first.pressed.form, first.pressed.button, {})).toEqual([
      ['other', 'x'],
      ['token', 'ab8'],
    ])
  })

  it('in both, where it stands in both: nobody can say which of them the service goes by', () => {
    const html = '<form method=post action="/pay?pt=abc"><input type=hidden name=pt value=abc><button>Pay'
    const [first] = alteredForms(PAGE, payOn(html), LAST)
    expect(first?.pressed).toMatchObject({
      button: { action: 'https://shop.test/pay?pt=ab8' },
      form: { fields: [{ value: 'ab8' }] },
    })
  })

  it('not where the form sends none: nobody can say what it goes by', () => {
    const pressed = payOn('<form method=post action=/pay/1><button>Pay')
    expect(() => alteredForms('https://shop.test/pay/1', pressed, LAST)).toThrow(Open)
  })
})

it('the end of a token of base64url is altered in a bit that means something', () => {
  const digest = Buffer.alloc(32, 1).toString('base64url')
  const [first] = alteredUrls(`https://shop.test/pay?pt=${digest}`, { query: 'pt', at: [-1], how: 'other' })
  const sent = new URL(String(first?.url)).searchParams.get('pt')
  expect(Buffer.from(String(sent), 'base64url')).not.toEqual(Buffer.alloc(32, 1))
})
