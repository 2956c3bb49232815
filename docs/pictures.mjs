// Makes the pictures of README.md from real output: npm run build && node docs/pictures.mjs. Needs Chromium (CHROMIUM_PATH, default /usr/bin/chromium).
import { execFile } from 'node:child_process'
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { startSandbox } from '../dist/index.js'

const PROGRAM = fileURLToPath(new URL('../bin/partner-sandbox.js', import.meta.url))
const pictureAt = (name) => fileURLToPath(new URL(`pictures/${name}`, import.meta.url))

const COLORS = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 36: '#79c0ff' }
const LINE_HEIGHT_PX = 19
const CHARACTER_WIDTH_PX = 7.9

/** The text of a terminal as an SVG. Only the colors that the program uses are known. */
function terminalPicture(command, output) {
  const lines = [`$ ${command}`, '', ...output.trimEnd().split('\n')]
  const longest = Math.max(...lines.map((line) => plain(line).length))
  const width = Math.ceil(longest * CHARACTER_WIDTH_PX) + 40
  const height = lines.length * LINE_HEIGHT_PX + 36
  const rows = lines.map((line, row) => `<text x="20" y="${32 + row * LINE_HEIGHT_PX}">${spans(line)}</text>`)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    '<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#e6edf3;white-space:pre}</style>',
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...rows,
    '</svg>\n',
  ].join('\n')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins each color
const COLOR_CODE = /\u001b\[(\d+)m/

function plain(line) {
  return line.replaceAll(new RegExp(COLOR_CODE, 'g'), '')
}

function spans(line) {
  const [first, ...parts] = line.split(COLOR_CODE)
  let spans = escapeXml(first)
  for (let at = 0; at < parts.length; at += 2) spans += span(parts[at], parts[at + 1])
  return spans
}

function span(code, text) {
  if (text === '') return ''
  if (code === '1') return `<tspan font-weight="bold">${escapeXml(text)}</tspan>`
  const color = COLORS[code]
  return color ? `<tspan fill="${color}">${escapeXml(text)}</tspan>` : escapeXml(text)
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** A search whose query was signed in the order of the URL: the commonest mistake. */
async function sendWronglySigned(url, { keyId, secret }) {
  const path = '/api/partner/v1/domains/search'
  const query = 'q=solar&limit=2'
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const nonce = randomUUID()
  const emptyHash = createHash('sha256').digest('hex')
  const canonical = ['GET', path, query, timestamp, nonce, emptyHash].join('\n')
  const response = await fetch(`${url}${path}?${query}`, {
    headers: {
      'X-Partner-Key-Id': keyId,
      'X-Partner-Timestamp': timestamp,
      'X-Partner-Nonce': nonce,
      'X-Partner-Signature': `v1=${createHmac('sha256', secret).update(canonical).digest('hex')}`,
    },
  })
  return response.headers.get('x-request-id')
}

/** What the program prints. Not synchronous: the sandbox it calls may be in this process. */
function run(args, env = {}) {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { env: { ...process.env, ...env } }, (_, stdout) => resolve(stdout))
  })
}

async function pictureOfDiagnosis(sandbox) {
  const id = await sendWronglySigned(sandbox.url, sandbox.credentials.main)
  const address = { PARTNER_SANDBOX_URL: sandbox.operatorUrl, FORCE_COLOR: '1' }
  const stdout = await run(['request', 'show', id], address)
  // What comes after the right header is the whole call; the picture shows the explanation.
  const [explanation] = stdout.split(/\n\n(?=position )/)
  writeFileSync(
    pictureAt('diagnosis.svg'),
    terminalPicture(`npx partner-sandbox request show ${id}`, explanation.replace(/node \S*partner-sandbox\.js/, 'npx partner-sandbox')),
  )
}

/** Orders in several states, by calls of the main credential. */
async function sellSome(world) {
  const steps = [[], ['hold'], ['startTransfer'], ['startTransfer', 'completeTransfer'], ['startTransfer', 'completeTransfer'], ['refund']]
  for (const [at, taken] of steps.entries()) {
    const domain = `stalls-${at + 1}.test`
    const { json: listing } = await world.call('GET', `/availability?domain=${domain}`)
    const { price_cents: expected_price, currency } = listing
    const sale = { domain, expected_price, currency, buyer: { email: 'buyer@example.test' } }
    const { json: order } = await world.call('POST', '/orders', sale, { idempotencyKey: randomUUID() })
    for (const step of taken) await world.orders[step](order.public_id)
  }
}

async function pictureOfConsole(sandbox) {
  await sellSome(sandbox.defaultWorld)
  const browser = await openBrowser()
  const page = await browser.newPage({ viewport: { width: 1_100, height: 660 } })
  await page.goto(sandbox.operatorUrl)
  await page.getByRole('img', { name: /percent covered/ }).waitFor()
  await page.screenshot({ path: pictureAt('console.png') })
  await browser.close()
}

function openBrowser() {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
}

async function pictureOfReport(folder) {
  const report = join(folder, 'report.html')
  await run(['conform', '--self', '--reporter', `html=${report}`])
  const browser = await openBrowser()
  const page = await browser.newPage({ viewport: { width: 1_200, height: 800 } })
  await page.goto(pathToFileURL(report).href)
  await page.screenshot({ path: pictureAt('report.png') })
  await browser.close()
}

const folder = mkdtempSync(join(tmpdir(), 'pictures-'))
const sandbox = await startSandbox()
try {
  await pictureOfDiagnosis(sandbox)
  await pictureOfConsole(sandbox)
  await pictureOfReport(folder)
} finally {
  await sandbox.close()
  rmSync(folder, { recursive: true })
}
