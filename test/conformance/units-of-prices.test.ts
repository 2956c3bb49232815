import { expect, it } from 'vitest'
import { noteUnitByPrice, type Units, unitAt } from '../../src/conformance/dialect/money.ts'

const inWholeUnits = (): Units => ({ price: null, amount: 'units', at: new Map() })

it('a price that says no unit has that in which it is what its domain is listed for, whatever other amounts have', () => {
  const units = inWholeUnits()
  noteUnitByPrice(units, 'quotes.create:quote.price', { amount: 717_500, unit: null }, [717_500])
  expect(unitAt(units, 'quotes.create:quote.price')).toBe('cents')
  const others = { ...inWholeUnits(), amount: 'cents' as const }
  noteUnitByPrice(others, 'quotes.create:quote.price', { amount: 7175, unit: null }, [717_500])
  expect(unitAt(others, 'quotes.create:quote.price')).toBe('units')
})

it('a price that is that of no domain, or of two in both ways, shows no unit', () => {
  const units = inWholeUnits()
  noteUnitByPrice(units, 'quotes.create:quote.price', { amount: 4_000, unit: null }, [717_500])
  noteUnitByPrice(units, 'quotes.create:quote.price', { amount: 4_000, unit: null }, [4_000, 400_000])
  expect([...units.at]).toEqual([])
})
