/** Line drawings on a grid of 16 by 16. They are decoration: there is always a word next to them. */
const PATHS = {
  overview: 'M2.500 9 8 3l5.500 6M4 7.500V13h8V7.500',
  orders: 'M3.500 2.500h9v11l-2-1.300-2.500 1.300-2.500-1.300-2 1.300zM6 6h4M6 8.500h4',
  requests: 'M2.500 5h9m-2.500-2.500L11.500 5 9 7.500M13.500 11h-9M7 8.500 4.500 11 7 13.500',
  events: 'M9 1.500 3.500 9H8l-1 5.500L12.500 7H8z',
  deliveries: 'M14 2 1.500 7l4.500 2 2 4.500zM6 9l8-7',
  checkout: 'M1.500 4h13v8.500h-13zM1.500 7h13M4 10h3',
  brokerage:
    'M5.500 7a2.200 2.200 0 1 0 0-4.400 2.200 2.200 0 0 0 0 4.400zM1.500 13c0-2.500 1.800-4 4-4s4 1.500 4 4M10.500 7a2 2 0 1 0-.5-3.900M11.500 9c1.800.3 3 1.800 3 4',
  links:
    'M7 9.500a2.700 2.700 0 0 0 3.900 0l2-2A2.700 2.700 0 0 0 9 3.600l-.7.7M9 6.500a2.700 2.700 0 0 0-3.900 0l-2 2A2.700 2.700 0 0 0 7 12.400l.7-.7',
  inventory: 'M2 5 8 2l6 3v6l-6 3-6-3zM2 5l6 3 6-3M8 8v6',
  money:
    'M8 2v12M11 4.500C10.300 3.600 9.300 3.300 8 3.300c-1.700 0-3 .8-3 2.200 0 3.200 6.200 1.600 6.200 4.900 0 1.500-1.400 2.300-3.200 2.300-1.500 0-2.600-.5-3.300-1.500',
  faults: 'M8 2.500 14.500 13.500h-13zM8 6.500v3.500M8 11.500v.5',
  coverage: 'M8 2a6 6 0 1 0 6 6H8zM10.500 1.800A6 6 0 0 1 14.200 5.500h-3.700z',
  credentials: 'M6 10.500a3.500 3.500 0 1 1 2.500-6 3.500 3.500 0 0 1 .5 4.200l5 5M11.500 11.200l1.500-1.500',
  worlds: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM2 8h12M8 2c4 3.500 4 8.500 0 12M8 2c-4 3.500-4 8.500 0 12',
  reference: 'M3 2.500h7.500l2.500 2.500v8.500H3zM5.500 6h5M5.500 8.500h5M5.500 11h3',
  search: 'M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9zM10.300 10.300 14 14',
  copy: 'M5.500 5.500V2.500h8v8h-3M2.500 5.500h8v8h-8z',
  close: 'M3.500 3.500l9 9m0-9-9 9',
  menu: 'M2 4h12M2 8h12M2 12h12',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.500v1.500M8 13v1.500M1.500 8H3M13 8h1.500M3.400 3.400l1 1M11.600 11.600l1 1M12.600 3.400l-1 1M4.400 11.600l-1 1',
  moon: 'M13.500 9.500A6 6 0 0 1 6.500 2.500a6 6 0 1 0 7 7z',
  system: 'M2 3h12v8H2zM6 13.500h4M8 11v2.500',
  keyboard: 'M1.500 4h13v8h-13zM4 6.500h.1M6.500 6.500h.1M9 6.500h.1M11.500 6.500h.1M5 9.500h6',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}

/** The mark of the product (mark.svg is the same for the browser's tab). */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" />
      <path d="M9 10h14v12H9z" />
      <path class="line" d="M9 17l5-3 5 4 4-2.5" />
    </svg>
  )
}
