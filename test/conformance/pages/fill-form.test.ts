import { expect, test } from 'vitest'
import { fillForm } from '../../../src/conformance/pages/fill-form.ts'
import { readPage } from '../../../src/conformance/pages/read-page.ts'

const page = readPage(
  '<form method="post"><input type="checkbox" name="terms" value="yes"><input type="checkbox" name="decline" value="1"><button>Pay</button></form>',
)

function sent(diligence: 'usual' | 'every field') {
  const [form] = page.forms
  const [button] = form?.buttons ?? []
  if (!form || !button) throw new Error('the page has no form')
  return fillForm(form, button, {}, diligence)
}

test('a box that nothing marks as required is left alone at first', () => {
  expect(sent('usual')).toEqual([])
})

test('a box is ticked once the form came back as incomplete, except one that lets the payment fail', () => {
  expect(sent('every field')).toEqual([['terms', 'yes']])
})
