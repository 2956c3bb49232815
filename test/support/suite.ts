import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import { registry } from './referee.ts'

/** Every scenario of this package: reading them all takes most of a second, so it is done once a worker. */
export const { scenarios, problems } = loadScenarios('scenarios', registry)
