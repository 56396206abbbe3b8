#!/usr/bin/env node
/** Starts the built command line: `cli-main.cjs`, with its compiled code. */
import { createCompiled } from './compiled.mjs'
import { dataFolderOf } from './platform/command-line/given-paths.ts'

// An import would load the code behind every export.
const { existsSync } = process.getBuiltinModule('fs')
const { createRequire } = process.getBuiltinModule('module')
const { dirname, join } = process.getBuiltinModule('path')
const { fileURLToPath } = process.getBuiltinModule('url')

/** Inserted by the build. */
const BUILD = 'hash of the program'
/** ms. After this time the functions of the start are compiled for certain, and V8 has not dropped any. */
const KEEP_AFTER = 2000

const folder = dirname(fileURLToPath(import.meta.url))
const program = join(folder, 'cli-main.cjs')

if (!existsSync(program)) {
  process.stderr.write(`troupe: ${program} is missing. Copy cli-main.cjs together with cli.mjs.\n`)
  process.exit(1)
}
const compiled = createCompiled(
  join(folder, 'cli-main'),
  BUILD,
  () =>
    process.env.TROUPE_HOME?.trim() ||
    dataFolderOf({
      platform: process.platform,
      home: process.getBuiltinModule('os').homedir(),
      environment: process.env,
    }),
)
if (process.argv[2] === 'run') compiled.keepAfter(KEEP_AFTER)
compiled.run(program, createRequire(program), { exports: {} }, folder)
compiled.holdYoungSpace()
