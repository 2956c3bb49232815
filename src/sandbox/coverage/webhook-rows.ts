import { PROBE_KINDS, type ProbeKind } from '../webhooks/probe.ts'
import { factId, NOTHING } from './facts.ts'
import { type DraftRow, type Evidence, type Section, section } from './row.ts'
import type { FactQuery } from './store.ts'

export function webhookSection(evidence: Evidence): Section {
  return section('webhooks', 'Webhooks', [
    acceptedRow(evidence),
    ...PROBE_KINDS.map((kind) => probeRow(evidence, kind)),
    twiceRow(evidence),
    laterRow(evidence),
  ])
}

function acceptedRow({ fact }: Evidence): DraftRow {
  const seen = fact(factId('delivered'))
  return {
    id: 'accepted',
    title: 'a sound delivery, answered 2xx',
    state: seen.count > 0 ? 'met' : 'not_met',
    seen,
    hint: 'PUT /api/partner/webhooks with your receiver, then POST /orders',
  }
}

const TAMPERED: Record<ProbeKind, string> = {
  signature: 'a delivery with a digit of its signature altered, refused with 4xx',
  body: 'a delivery with a character of its body altered, refused with 4xx',
  secret: 'a delivery signed with another secret, refused with 4xx',
}

/** A receiver that refuses everything has verified nothing: it counts only beside a sound delivery that was accepted. */
function probeRow({ fact, command }: Evidence, kind: ProbeKind): DraftRow {
  const [refused, accepted, unclear] = (['refused', 'accepted', 'unclear'] as const).map((came) =>
    fact(factId('probes', kind, came)),
  )
  const isSound = fact(factId('delivered')).count > 0
  const row = { id: `refused-${kind}`, title: TAMPERED[kind], seen: refused ?? NOTHING }
  const hint = command(`delivery probe --tampering ${kind}`)
  if ((accepted?.count ?? 0) > 0) {
    return {
      ...row,
      state: 'wrong',
      says: 'the receiver took it for sound',
      hint: `verify it, then ${command('coverage reset')} and ${hint}`,
    }
  }
  if ((refused?.count ?? 0) > 0) {
    return isSound
      ? { ...row, state: 'met', hint }
      : {
          ...row,
          state: 'partly',
          says: 'refused, but no sound delivery was accepted',
          hint: 'answer a sound one with 200',
        }
  }
  const says = (unclear?.count ?? 0) > 0 ? 'the answer was neither 2xx nor 4xx, so it says nothing' : null
  return { ...row, state: says ? 'partly' : 'not_met', says, hint }
}

function simpleRow({ fact }: Evidence, row: { id: string; title: string; query: FactQuery; hint: string }): DraftRow {
  const seen = fact(factId(row.query))
  return { id: row.id, title: row.title, state: seen.count > 0 ? 'met' : 'not_met', seen, hint: row.hint }
}

function twiceRow(evidence: Evidence): DraftRow {
  return simpleRow(evidence, {
    id: 'twice',
    title: 'the same event delivered more than once, answered 2xx each time',
    query: 'delivered-twice',
    hint: `${evidence.command('delivery profile --duplicate 1')}, then POST /orders; or ${evidence.command('delivery redeliver dlv_…')}`,
  })
}

function laterRow(evidence: Evidence): DraftRow {
  return simpleRow(evidence, {
    id: 'later',
    title: 'a delivery that failed at first, answered 2xx later',
    query: 'delivered-later',
    hint: `answer a delivery with 500 and the next attempt with 200; ${evidence.command('clock advance 10s')} brings it`,
  })
}
