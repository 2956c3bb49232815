import { parentPort, workerData } from 'node:worker_threads'
import { atOnce } from '../../contract/steps.ts'
import { UnsoundDatabaseError } from '../../storage/storage-error.ts'
import { carryingOut, type LargeWork } from './large-work.ts'

/** Why a thread did not do its work; null where it did. */
export type ThreadFailure = { readonly message: string; readonly code: unknown; readonly isUnsound: boolean } | null

// What takes long with one large world, so that the thread that serves all worlds does not.
parentPort?.postMessage(failureOf(workerData as LargeWork))

function failureOf(work: LargeWork): ThreadFailure {
  try {
    atOnce(carryingOut(work))
    return null
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    return { message, code, isUnsound: error instanceof UnsoundDatabaseError }
  }
}
