import { canonicalQuery, splitTarget } from '../../contract/canonical-string.ts'
import { HEADERS } from '../../contract/headers.ts'
import type { ExportedCall } from './exported-call.ts'

export const EXPORT_FORMATS = ['curl', 'http', 'bruno'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** What all formats say at their top. */
interface ExportHead {
  readonly id: string
  readonly title: string
  readonly program: string
}

type ExportedFile = readonly [name: string, text: string]

/** The files of an export. One of curl and http is a single file, which has the name of the scenario. */
export function exportedFiles(format: ExportFormat, head: ExportHead, calls: readonly ExportedCall[]): ExportedFile[] {
  const name = head.id.replaceAll('/', '-')
  if (format === 'curl') return [[`${name}.sh`, shellScript(head, calls)]]
  if (format === 'http') return [[`${name}.http`, httpFile(head, calls)]]
  return [
    ['bruno.json', `${JSON.stringify({ version: '1', name: head.id, type: 'collection' }, null, 2)}\n`],
    ['environments/sandbox.bru', brunoEnvironment(credentialsOf(calls))],
    ...calls.map((call, at): ExportedFile => [`${String(at + 1).padStart(2, '0')}.bru`, brunoFile(call, at + 1)]),
  ]
}

const URL_DEFAULT = 'http://127.0.0.1:4600'
const OPERATOR_DEFAULT = 'http://127.0.0.1:4601'

/** The environment variable of the n-th credential of the run. */
function ofCredential(name: string, credential: number): string {
  return credential === 1 ? name : `${name}_${credential}`
}

/** The numbers of the credentials that sign. */
function credentialsOf(calls: readonly ExportedCall[]): number[] {
  return [...new Set(calls.flatMap(({ credential }) => credential ?? []))].sort((a, b) => a - b)
}

/** Which variables have to be set, in a sentence. */
function neededNames(names: readonly [string, string], calls: readonly ExportedCall[]): string {
  return credentialsOf(calls)
    .flatMap((credential) => names.map((name) => ofCredential(name, credential)))
    .join(', ')
}

/** JavaScript for a value of an answer. */
function capturedValue(answer: string, { path, isAddress }: ExportedCall['captures'][number]): string {
  return `${answer}${memberOf(path)}${isAddress ? '.replace(/^https?:..[^/]+/, "")' : ''}`
}

function shellScript({ id, title, program }: ExportHead, calls: readonly ExportedCall[]): string {
  const lines = calls.flatMap((call) => [
    `# ${call.title}`,
    `ANSWER="$(${shellRequest(call, program)})"`,
    `printf '%s\\n' "$ANSWER"`,
    ...call.captures.map((capture) => {
      const value = capturedValue('JSON.parse(require("fs").readFileSync(0))', capture)
      return `${capture.variable}="$(printf '%s' "$ANSWER" | node -p '${value}')"`
    }),
    '',
  ])
  return `#!/bin/sh
# ${id}: ${title}
# Set ${neededNames(['PARTNER_KEY_ID', 'PARTNER_SECRET'], calls)}. Every call of the API is signed correctly.
set -eu
URL="\${PARTNER_URL:-${URL_DEFAULT}}"
OPERATOR="\${PARTNER_SANDBOX_URL:-${OPERATOR_DEFAULT}}"
RUN="$(date +%s)"
${calls.some(({ server }) => server === 'page') ? 'COOKIES="$(mktemp)"\n' : ''}
${lines.join('\n')}`
}

/** A call in the shell: curl itself, or a line that signs it and hands it to curl. */
function shellRequest(call: ExportedCall, program: string): string {
  const { method, target, body, key, credential, contentType, server } = call
  const data = body === null ? '' : doubleQuoted(body)
  if (credential === null) {
    const base = server === 'page' ? '-b "$COOKIES" -c "$COOKIES" "$URL"' : '"$OPERATOR"'
    const sent = body === null ? '' : ` -H 'Content-Type: ${contentType}' --data-binary ${data}`
    return `curl -sS -X ${method} ${base}${doubleQuoted(target)}${sent}`
  }
  const keyId = ofCredential('PARTNER_KEY_ID', credential)
  return [
    ...(credential === 1 ? [] : [`PARTNER_SECRET="$${ofCredential('PARTNER_SECRET', credential)}"`]),
    `${program} sign ${method} "$URL"${doubleQuoted(target)} --key-id "$${keyId}" --curl`,
    ...(key === null ? [] : [`--idempotency-key "$RUN-${key}"`]),
    ...(body === null ? [] : [`--body ${data}`]),
    '| sh',
  ].join(' ')
}

/** A word for the shell, in which `{{name}}` is a shell variable. */
function doubleQuoted(text: string): string {
  const escaped = text.replaceAll(/[\\"$`]/g, '\\$&')
  return `"${escaped.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => `\${${name === 'run' ? 'RUN' : name}}`)}"`
}

/** @example memberOf(['order', 'public_id', 0]) // '["order"]["public_id"][0]' */
function memberOf(path: readonly (string | number)[]): string {
  return path.map((name) => `[${JSON.stringify(name)}]`).join('')
}

/** Path and query of the canonical string, in which variables are still names. */
function signedParts(target: string): { path: string; query: string } {
  const { path, query } = splitTarget(target)
  const names = [...query.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name)
  const marked = names.reduce((text, name) => text.replaceAll(`{{${name}}}`, `VARIABLE${name}VARIABLE`), query)
  return { path, query: canonicalQuery(marked).replaceAll(/VARIABLE(\w+?)VARIABLE/g, '{{$1}}') }
}

function httpFile({ id, title }: ExportHead, calls: readonly ExportedCall[]): string {
  const blocks = calls.map(
    ({ title: heading, method, target, body, key, credential, contentType, captures, server }) => {
      const base = server === 'operator' ? '{{operator_url}}' : '{{url}}'
      const headers = [
        ...(credential === null
          ? []
          : [
              `${HEADERS.keyId}: {{${ofCredential('key_id', credential)}}}`,
              ...[HEADERS.timestamp, HEADERS.nonce, HEADERS.signature].map(
                (name) => `${name}: {{${variableOfHeader(name)}}}`,
              ),
            ]),
        ...(key === null ? [] : [`${HEADERS.idempotencyKey}: {{run}}-${key}`]),
        ...(body === null ? [] : [`Content-Type: ${contentType}`]),
      ]
      const script = credential === null ? HTTP_RUN : httpSigning(method, target, credential, body !== null)
      const kept = captures.map(
        (capture) =>
          `  client.global.set(${JSON.stringify(capture.variable)}, ${capturedValue('response.body', capture)})\n`,
      )
      return `### ${heading}
< {%
${script}%}
${method} ${base}${target}
${headers.map((line) => `${line}\n`).join('')}${body === null ? '' : `\n${body}\n`}${kept.length === 0 ? '' : `\n> {%\n${kept.join('')}%}\n`}`
    },
  )
  return `# ${id}: ${title}
# For the HTTP Client of JetBrains (ijhttp). Its environment file has url, operator_url, ${neededNames(['key_id', 'secret'], calls)}.

${blocks.join('\n')}`
}

const variableOfHeader = (name: string) => name.replace('X-Partner-', '').toLowerCase()

const HTTP_RUN = `  if (!client.global.get("run")) client.global.set("run", String(Math.floor(Date.now() / 1000)))
`

function httpSigning(method: string, target: string, credential: number, hasBody: boolean): string {
  const { path, query } = signedParts(target)
  const body = hasBody ? 'request.body.tryGetSubstituted()' : '""'
  return `${HTTP_RUN}  const filled = (text) => text.replace(/\\{\\{(\\w+)\\}\\}/g, (_, name) => client.global.get(name))
  const timestamp = String(Math.floor(Date.now() / 1000))
  const nonce = timestamp + "-" + Math.random().toString(36).slice(2)
  const hash = crypto.sha256().updateWithText(${body}).digest().toHex()
  const text = [${JSON.stringify(method)}, filled(${JSON.stringify(path)}), filled(${JSON.stringify(query)}), timestamp, nonce, hash].join("\\n")
  const secret = request.environment.get(${JSON.stringify(ofCredential('secret', credential))})
  request.variables.set("timestamp", timestamp)
  request.variables.set("nonce", nonce)
  request.variables.set("signature", "v1=" + crypto.hmac.sha256().withTextSecret(secret).updateWithText(text).digest().toHex())
`
}

function brunoEnvironment(credentials: readonly number[]): string {
  const lines = credentials.flatMap((credential) => [
    `  ${ofCredential('key_id', credential)}: {{process.env.${ofCredential('PARTNER_KEY_ID', credential)}}}\n`,
    `  ${ofCredential('secret', credential)}: {{process.env.${ofCredential('PARTNER_SECRET', credential)}}}\n`,
  ])
  return `vars {\n  url: ${URL_DEFAULT}\n  operator_url: ${OPERATOR_DEFAULT}\n${lines.join('')}}\n`
}

function brunoFile(
  { title, method, target, body, key, credential, contentType, captures, server }: ExportedCall,
  at: number,
): string {
  const isJson = contentType?.includes('json') ?? false
  const kind = isJson ? 'json' : 'text'
  const headers = [
    ...(key === null ? [] : [`  ${HEADERS.idempotencyKey}: {{run}}-${key}\n`]),
    ...(body === null || isJson ? [] : [`  Content-Type: ${contentType}\n`]),
  ]
  const kept = captures.map(
    (capture) => `  bru.setVar(${JSON.stringify(capture.variable)}, ${capturedValue('res.body', capture)})\n`,
  )
  return `meta {
  name: ${title}
  type: http
  seq: ${at}
}

${method.toLowerCase()} {
  url: ${server === 'operator' ? '{{operator_url}}' : '{{url}}'}${target}
  body: ${body === null ? 'none' : kind}
  auth: none
}
${headers.length === 0 ? '' : `\nheaders {\n${headers.join('')}}\n`}${body === null ? '' : `\nbody:${kind} {\n${body.trimEnd().replaceAll(/^/gm, '  ')}\n}\n`}
script:pre-request {
${brunoSigning(method, target, credential, body)}}
${kept.length === 0 ? '' : `\nscript:post-response {\n${kept.join('')}}\n`}`
}

/** The body is set as the text that was signed: Bruno writes JSON in its own way. */
function brunoSigning(method: string, target: string, credential: number | null, body: string | null): string {
  const start = `  if (!bru.getVar("run")) bru.setVar("run", String(Math.floor(Date.now() / 1000)))
  const filled = (text) => text.replace(/\\{\\{(\\w+)\\}\\}/g, (_, name) => bru.getVar(name))
  const body = filled(${JSON.stringify(body ?? '')})
${body === null ? '' : '  req.setBody(body)\n'}`
  if (credential === null) return start
  const { path, query } = signedParts(target)
  return `${start}  const crypto = require("crypto-js")
  const timestamp = String(Math.floor(Date.now() / 1000))
  const nonce = timestamp + "-" + Math.random().toString(36).slice(2)
  const text = [${JSON.stringify(method)}, filled(${JSON.stringify(path)}), filled(${JSON.stringify(query)}), timestamp, nonce, crypto.SHA256(body).toString()].join("\\n")
  req.setHeader(${JSON.stringify(HEADERS.keyId)}, bru.getEnvVar(${JSON.stringify(ofCredential('key_id', credential))}))
  req.setHeader(${JSON.stringify(HEADERS.timestamp)}, timestamp)
  req.setHeader(${JSON.stringify(HEADERS.nonce)}, nonce)
  req.setHeader(${JSON.stringify(HEADERS.signature)}, "v1=" + crypto.HmacSHA256(text, bru.getEnvVar(${JSON.stringify(ofCredential('secret', credential))})).toString())
`
}
