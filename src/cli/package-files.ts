import { fileURLToPath } from 'node:url'

/** Where the package's own data is; the same from src/cli and from dist/cli. */
const packageRoot = new URL('../../', import.meta.url)

export const REQUIREMENTS_FILE = fileURLToPath(new URL('fixtures/requirements.yaml', packageRoot))
export const SCENARIOS_DIRECTORY = fileURLToPath(new URL('scenarios', packageRoot))
