#!/usr/bin/env node
import { fileURLToPath } from 'node:url'

// Beside the program and not in Node's default, a folder of the system's temporary one that another user may have made:
// whoever can write here can change the program itself. Node 20 has no such cache, and one that cannot be written is none.
const { enableCompileCache } = process.getBuiltinModule('node:module')
enableCompileCache?.(fileURLToPath(new URL('../dist/compile-cache', import.meta.url)))
await import('../dist/bundle/main.js')
