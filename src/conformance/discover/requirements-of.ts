import { ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import { callOf, observationsOf, recordsOrder } from '../format/step-facts.ts'
import type { Finding } from './discovery.ts'
import { OPS_OF } from './learn-params.ts'

/** Names every requirement that stays unverified where a value is not known: those of the scenarios that use it. */
export function withRequirements(findings: readonly Finding[], scenarios: readonly LoadedScenario[]): Finding[] {
  const texts = scenarios.map((loaded) => ({ loaded, text: JSON.stringify(loaded.scenario) }))
  return findings.map((finding) => {
    const uses = usesOf(finding)
    const used = texts.filter(({ loaded, text }) => uses(loaded, text)).flatMap(({ loaded }) => shownBy(loaded))
    return unlessNeedless({ ...finding, requirements: [...new Set(used)].sort() })
  })
}

/** A value that is nowhere, and that nothing depends on, does not need a search. */
function unlessNeedless(finding: Finding): Finding {
  const { state, candidates, requirements } = finding
  if (state !== 'needs-dialect' || candidates.length > 0 || requirements.length > 0) return finding
  return { ...finding, state: 'not-seen', note: 'the answers have none, and nothing depends on it' }
}

/** What a scenario proves and what it observes. */
function shownBy({ scenario }: LoadedScenario): string[] {
  const observed = scenario.steps.flatMap((step) => observationsOf(step).map(({ gap }) => gap))
  return [...scenario.proves, ...observed]
}

type Uses = (loaded: LoadedScenario, text: string) => boolean

function usesOf({ path }: Finding): Uses {
  const [, section, name = ''] = path
  if (section === 'roles') return mentions(name.slice(name.indexOf(':') + 1))
  if (section === 'statuses') return mentions(`status.${name}`)
  if (section === 'payment_models') return mentions(`model.${name}`)
  if (section === 'params') return usesParam(name)
  if (section === 'bodies') return usesBody(name)
  return (loaded) => stepsOf(loaded).some((step) => recordsOrder(callOf(step)))
}

function mentions(word: string): Uses {
  const pattern = new RegExp(`(?<![\\w])${word.replaceAll('.', '\\.')}(?![\\w])`)
  return (_loaded, text) => pattern.test(text)
}

function usesParam(name: string): Uses {
  const [area, param = ''] = name.split('.')
  return (loaded) =>
    stepsOf(loaded).some((step) => {
      const call = callOf(step)
      if (call?.op === undefined || !OPS_OF[area as keyof typeof OPS_OF].includes(call.op)) return false
      const names = Array.isArray(call.query) ? call.query.map(([key]) => key) : Object.keys(call.query ?? {})
      return names.some((key) => String(key).replace(/\?$/, '') === param)
    })
}

function usesBody(name: string): Uses {
  return (loaded) => stepsOf(loaded).some((step) => takesBody(callOf(step)?.op, name))
}

function takesBody(op: EndpointId | undefined, name: string): boolean {
  const names: readonly string[] = op === undefined ? [] : ENDPOINTS[op].bodies
  return names.includes(name)
}

function stepsOf({ scenario }: LoadedScenario) {
  return [...scenario.steps, ...(scenario.cleanup ?? [])]
}
