import { shellQuote } from '../../../contract/shell-quote.ts'
import { useWorld } from '../../console-context.ts'
import { Code } from '../../kit/copy.tsx'
import { Panel } from '../../kit/facts.tsx'
import { useQuery } from '../../live/use-query.ts'

/** What an empty world teaches: three steps to the first signed call. */
export function FirstSteps() {
  const { world } = useWorld()
  const about = useQuery('sandbox.show', {})
  const { data } = useQuery('credentials.list', { w: world })
  const main = data?.credentials.find(({ revoked }) => revoked !== true)
  if (!about.data || !main) return null
  const call = shellQuote(`${about.data.api_url}/api/partner/v1/domains/search?q=solar`)
  const sandbox = `--sandbox ${location.origin}${world === 'default' ? '' : ` --world ${shellQuote(world)}`}`
  const sign = `npx partner-sandbox sign GET ${call} --key-id ${main.key_id} ${sandbox} --curl | sh`
  return (
    <Panel title="Three steps to the first signed call">
      <ol class="steps">
        <li>
          <p>Paste this into a terminal. The sandbox signs the call with the key it knows.</p>
          <Code name="A signed call" text={sign} />
        </li>
        <li>
          <p>Give your client the address and the key id. The secret is on the screen where the sandbox was started.</p>
          <Code
            name="Settings of a client"
            text={`PARTNER_API_URL=${about.data.api_url}/api/partner/v1\nPARTNER_KEY_ID=${main.key_id}`}
          />
        </li>
        <li>
          <p>Make a call with it, and look here: each call appears at once, with the reason if it is refused.</p>
        </li>
      </ol>
    </Panel>
  )
}
