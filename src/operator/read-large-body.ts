import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { errorCodes, type FastifyRequest } from 'fastify'
import { inTurns, turnEachStep } from '../clock/in-turns.ts'
import type { Steps } from '../contract/steps.ts'

const { FST_ERR_CTP_BODY_TOO_LARGE, FST_ERR_CTP_INVALID_CONTENT_LENGTH } = errorCodes

/** A few milliseconds' worth. */
const BYTES_A_STEP = 4 * 1024 * 1024

/** Reads a body as Fastify does, with its refusals; but the pieces of a large one are put together in turns. */
export async function readLargeBody(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
  const limit = request.routeOptions.bodyLimit
  const announced = Number(request.headers['content-length'])
  if (announced > limit) throw new FST_ERR_CTP_BODY_TOO_LARGE()
  const pieces: Buffer[] = []
  let length = 0
  const tooLarge = new AbortController()
  const take = (piece: Buffer) => {
    length += piece.length
    if (length > limit) tooLarge.abort(new FST_ERR_CTP_BODY_TOO_LARGE())
    else pieces.push(piece)
  }
  payload.on('data', take)
  try {
    await once(payload, 'end', { signal: tooLarge.signal })
  } catch (error) {
    throw tooLarge.signal.aborted ? tooLarge.signal.reason : Object.assign(error as Error, { statusCode: 400 })
  } finally {
    payload.removeListener('data', take)
  }
  if (!Number.isNaN(announced) && announced !== length) throw new FST_ERR_CTP_INVALID_CONTENT_LENGTH()
  return inTurns(
    joining(pieces, length),
    turnEachStep(() => {}),
  )
}

function* joining(pieces: Buffer[], length: number): Steps<Buffer> {
  const whole = Buffer.allocUnsafeSlow(length)
  let at = 0
  let pausedAt = 0
  for (const piece of pieces.splice(0)) {
    at += piece.copy(whole, at)
    if (at - pausedAt < BYTES_A_STEP) continue
    pausedAt = at
    yield
  }
  return whole
}
