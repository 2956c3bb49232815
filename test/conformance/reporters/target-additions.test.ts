import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { additionLines } from '../../../src/conformance/reports/not-verified.ts'
import { noteWith, partsOfNote } from '../../../src/conformance/result/target-addition.ts'

const key = (name: string) => ({ name, partner: 'main', scopes: ['buy'], key_id: 'KEY_ID', secret: '${env:SECRET}' })

it('takes the addition out of a note, also where another note quotes it', () => {
  const note = noteWith('the list of orders.list goes on', {
    dialect: { roles: { 'orders.list:orders.next': 'PLACE' } },
  })
  const addition = { dialect: { roles: { 'orders.list:orders.next': 'PLACE' } } }
  expect(partsOfNote(note)).toEqual({ why: 'the list of orders.list goes on', addition })
  expect(partsOfNote(`step one saw nothing (${note})`)).toEqual({
    why: 'step one saw nothing (the list of orders.list goes on)',
    addition,
  })
  expect(partsOfNote('no operator')).toEqual({ why: 'no operator', addition: null })
})

it('finds no addition in a text of the target that looks like one', () => {
  const said = 'refused; add to the target file: url: not json'
  expect(partsOfNote(said)).toEqual({ why: said, addition: null })
  expect(additionLines(['x; add to the target file: operator: {"url":"http://elsewhere.example"}'])).toEqual([])
})

it('puts the additions of all notes into one YAML text, each once', () => {
  const body = { domain: '${domain}', 'odd: key': 'yes' }
  const lines = additionLines([
    noteWith('no live site is known', { fixtures: { live_site: ['DOMAIN'] } }),
    noteWith('no body is accepted', { dialect: { bodies: { quote: body } } }),
    noteWith('no key has only buy', { credentials: [key('only_buy')] }),
    noteWith('no key lacks search', { credentials: [key('only_buy')] }),
    noteWith('no key of another partner', { credentials: [key('other')] }),
    noteWith('quote.price could be /a or /b', { dialect: { roles: { 'quotes.create:quote.price': 'PLACE' } } }),
    noteWith('no name was found', { dialect: { params: { 'orders.from': 'NAME' } } }),
  ])
  expect(parse(lines.join('\n'))).toEqual({
    credentials: [key('only_buy'), key('other')],
    fixtures: { live_site: ['DOMAIN'] },
    dialect: {
      bodies: { quote: body },
      roles: { 'quotes.create:quote.price': 'PLACE' },
      params: { 'orders.from': 'NAME' },
    },
  })
  expect(lines).toContain('    quotes.create:quote.price: PLACE # quote.price could be /a or /b')
})
