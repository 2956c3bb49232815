import { describe, expect, it } from 'vitest'
import { nextToPay, outlineOf } from '../../../src/conformance/pages/fill-form.ts'
import { findButton, readPage } from '../../../src/conformance/pages/read-page.ts'

const FORM = '<form action=/pay><input type=hidden name=token value=t1><input name=card><button>Pay</button>'

/** The words of the button that is pressed on the second page, once the first one's has been. */
function pressedOn(second: string, first = FORM): string | null {
  const before = findButton(readPage(first), 'pay')
  if (!before) throw new Error('the first page has no button')
  const next = nextToPay(readPage(second), [outlineOf(before)])
  return next?.kind === 'button' ? next.button.text : null
}

describe('a purchase goes on', () => {
  it('where another form asks, whether it has other fields, another button or another address', () => {
    expect(pressedOn('<form action=/pay><input type=hidden name=ticket value=x><button>Confirm')).toBe('Confirm')
    expect(pressedOn(FORM.replace('>Pay<', '>Pay now<'))).toBe('Pay now')
    expect(pressedOn(FORM.replace('/pay', '/pay/confirm'))).toBe('Pay')
    const bank = '<button name=decision value=decline>Decline</button><button>Approve payment</button>'
    expect(pressedOn(`<form method=post action=/verify><input type=hidden name=token>${bank}`)).toBe('Approve payment')
  })

  it('not where the same form comes back, whatever tokens are in it', () => {
    expect(pressedOn(FORM.replace('t1', 't2'))).toBeNull()
    expect(pressedOn(FORM.replace('/pay', '/pay?attempt=2'))).toBeNull()
  })

  it('where a script sends a form that nobody could press, as on the way by a bank', () => {
    const bank =
      '<form id=bank method=post action=/capture><input type=hidden name=ticket value=x><noscript><button>Continue</button></noscript></form>'
    const footer = '<form method=post action=/news><input type=email name=mail><button>Subscribe</button></form>'
    expect(pressedOn(`${bank}${footer}<script>document.getElementById('bank').submit()</script>`)).toBe('')
    expect(pressedOn(`<body onload="document.forms[0].submit()">${bank}`)).toBe('')
    expect(pressedOn(`${bank}${footer}<script>count()</script>`)).toBeNull()
    const leave = `<script>out.addEventListener('click', () => document.getElementById('bank').submit())</script>`
    expect(pressedOn(`${bank}${leave}`)).toBeNull()
    expect(pressedOn(`${footer}<script>document.forms[0].submit()</script>`)).toBeNull()
  })

  it('not where the page says that the payment was refused', () => {
    for (const words of [
      'Your card was declined.',
      '<label>Card <b>declined</b></label>',
      'Payment failed',
      'Please try again',
      'This link has expired',
    ])
      expect(pressedOn(`<p>${words}</p><form><button>Pay with another card`)).toBeNull()
  })

  it('where the page says who sells, but not where it says that all is sold', () => {
    expect(pressedOn('<p>Sold by: a partner</p><form action=/pay><button>Confirm')).toBe('Confirm')
    expect(pressedOn('<p>This domain is sold.</p><form action=/pay><button>Confirm')).toBeNull()
  })

  it('whatever a button says that is there for trying out a refusal', () => {
    const beside = '<button name=do value=decline>Simulate a declined card</button>'
    expect(pressedOn(`<form action=/pay><input type=hidden name=ticket>${beside}<button>Confirm`)).toBe('Confirm')
    const box = '<label><input type=radio name=card value=2> Test card that is declined</label>'
    expect(pressedOn(`<form action=/pay><input type=hidden name=ticket>${box}<button>Confirm`)).toBe('Confirm')
  })
})
