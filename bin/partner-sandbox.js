#!/usr/bin/env node
const { enableCompileCache } = require('node:module')
const { join } = require('node:path')

// Beside the program and not in Node's default, a folder of the system's temporary one that another user may have made:
// whoever can write here can change the program itself. Node 20 has no such cache, and one that cannot be written is none.
enableCompileCache?.(join(__dirname, '../dist/compile-cache'))
require('../dist/bundle/main.js')
