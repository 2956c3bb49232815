import type { Command } from 'commander'
import { saveText } from '../files.ts'
import { choiceOption } from '../option-parsers.ts'
import { CliError, type Session } from '../session.ts'

interface OpenApiOptions {
  format: 'json' | 'yaml'
  output?: string
  server?: string
}

export function configure(command: Command, session: Session): void {
  command
    .addOption(choiceOption('--format <format>', 'json or yaml', ['json', 'yaml']).default('json'))
    .option('--output <file>', 'write it to a file instead of standard output')
    .option('--server <url>', 'base address of the API (default: http://127.0.0.1:4600)')
    .addHelpText(
      'after',
      '\nA running sandbox serves its own, with its address and its choices, at /openapi.json on the API port, and shows it\nas a page at /docs.',
    )
    .action(async (options: OpenApiOptions) => {
      const text = await documentText(options)
      if (options.output === undefined) session.out(text)
      else saveText(options.output, '--output', text)
    })
}

async function documentText({ format, server }: OpenApiOptions): Promise<string> {
  const publicUrl = server === undefined ? {} : { publicUrl: addressOf(server) }
  // Loaded here, so that --help does not wait for every route of the API.
  const { openApiDocument } = await import('../../sandbox/openapi/document.ts')
  const document = openApiDocument(publicUrl)
  if (format === 'json') return `${JSON.stringify(document, null, 2)}\n`
  const { stringify } = await import('yaml')
  return stringify(document, { aliasDuplicateObjects: false, lineWidth: 120 })
}

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new CliError(`--server must be the http:// or https:// address of the API, not ${JSON.stringify(text)}`)
  }
  return text.replace(/\/+$/, '')
}
