import { parentPort, workerData } from 'node:worker_threads'
import { type OwnRules, type ServerOptions, startServer } from '../../server.ts'

// The sandbox of `conform --self`, in a thread of its own: it and the runner each have a processor.
const { options, rules } = workerData as { options: Partial<ServerOptions>; rules: OwnRules }
const server = await startServer(options, rules)
parentPort?.on('message', () => void server.close().finally(() => process.exit()))
const { close: _, ...facts } = server
parentPort?.postMessage(facts)
