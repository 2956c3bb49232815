import fc from 'fast-check'

/** Any character of Unicode, as the unit of a text: the unit `binary` of fast-check takes seconds to set up. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_f7_ff })
  .map((n) => String.fromCodePoint(n < 0xd8_00 ? n : n + 0x8_00))
