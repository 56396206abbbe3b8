#!/usr/bin/env node
/**
 * How the built command line starts: `cli-main.cjs` with what V8 once made of it, which lies beside it and
 * saves half of the time to a first request. Who can write there can change the program itself.
 */
// An import would load what is behind every export.
const { existsSync, readFileSync, renameSync, rmSync, writeFileSync } = process.getBuiltinModule('fs')
const { createRequire } = process.getBuiltinModule('module')
const { dirname, join } = process.getBuiltinModule('path')
const { fileURLToPath } = process.getBuiltinModule('url')
const { cachedDataVersionTag } = process.getBuiltinModule('v8')
const { Script } = process.getBuiltinModule('vm')

/** A hash of the program, put in by the build: V8 itself compares no more than lengths. */
const BUILD = 'hash of the program'
/** For the last moment at which the functions of the start are certain to be there, ms. */
const KEEP_AFTER = 2000

const folder = dirname(fileURLToPath(import.meta.url))
const program = join(folder, 'cli-main.cjs')
const compiled = join(folder, `cli-main.${cachedDataVersionTag()}.compiled`)

if (!existsSync(program)) {
  process.stderr.write(`troupe: ${program} is missing. Copy cli-main.cjs together with cli.mjs.\n`)
  process.exit(1)
}
const cachedData = readCompiled()
const script = new Script(
  `(function (require, module, exports, __filename, __dirname) {${readFileSync(program, 'latin1')}\n})`,
  { filename: program, cachedData },
)
// A function is compiled when it is first called: what a run called is what the next one needs.
if ((cachedData === undefined || script.cachedDataRejected) && process.argv[2] === 'run') {
  const timer = setTimeout(keepOnce, KEEP_AFTER).unref()
  process.once('exit', keepOnce)
  function keepOnce() {
    clearTimeout(timer)
    process.off('exit', keepOnce)
    keepCompiled()
  }
}
const module = { exports: {} }
script.runInThisContext()(createRequire(program), module, module.exports, program, folder)

function readCompiled() {
  try {
    const bytes = readFileSync(compiled)
    return bytes.toString('latin1', 0, BUILD.length) === BUILD ? bytes.subarray(BUILD.length) : undefined
  } catch {
    return undefined
  }
}

function keepCompiled() {
  const draft = `${compiled}.${process.pid}`
  try {
    writeFileSync(draft, Buffer.concat([Buffer.from(BUILD), script.createCachedData()]))
    renameSync(draft, compiled)
  } catch {
    // Nothing can be written there: then each start compiles anew.
    rmSync(draft, { force: true })
  }
}
