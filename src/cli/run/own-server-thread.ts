import { parentPort, workerData } from 'node:worker_threads'
import { type ServerOptions, startServer } from '../../server.ts'

// The sandbox of `conform --self`, in a thread of its own: it and the runner each have a processor.
const server = await startServer(workerData as Partial<ServerOptions>)
parentPort?.on('message', () => void server.close().finally(() => process.exit()))
const { close: _, ...facts } = server
parentPort?.postMessage(facts)
