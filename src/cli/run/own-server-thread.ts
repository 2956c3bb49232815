import { parentPort, workerData } from 'node:worker_threads'
import { type OwnRules, type ServerOptions, startServer } from '../../server.ts'

// The sandbox of `conform --self`, in a thread of its own: it and the runner each have a processor.
const { options, rules } = workerData as { options: Partial<ServerOptions>; rules: OwnRules }
void startServer(options, rules).then(({ close, ...facts }) => {
  parentPort?.on('message', () => void close().finally(() => process.exit()))
  parentPort?.postMessage(facts)
})
