#!/usr/bin/env node
/**
 * Starts the built command line: `cli-main.cjs` with V8's compiled code, which is cached beside it and halves the time
 * to a first request. A user who can write the cache can also change the program itself.
 */
// An import would load the code behind every export.
const { existsSync, readFileSync, renameSync, rmSync, writeFileSync } = process.getBuiltinModule('fs')
const { createRequire } = process.getBuiltinModule('module')
const { dirname, join } = process.getBuiltinModule('path')
const { fileURLToPath } = process.getBuiltinModule('url')
const { cachedDataVersionTag, setFlagsFromString } = process.getBuiltinModule('v8')
const { Script } = process.getBuiltinModule('vm')

/** A hash of the program, inserted by the build. V8 itself compares lengths only. */
const BUILD = 'hash of the program'
/** ms. After this time the functions of the start are compiled for certain, and V8 has not dropped any. */
const KEEP_AFTER = 2000
/** The first runs that did their work add what they compiled. */
const RUNS = 3

const folder = dirname(fileURLToPath(import.meta.url))
const program = join(folder, 'cli-main.cjs')
const compiled = join(folder, `cli-main.${cachedDataVersionTag()}.compiled`)

if (!existsSync(program)) {
  process.stderr.write(`troupe: ${program} is missing. Copy cli-main.cjs together with cli.mjs.\n`)
  process.exit(1)
}
const { script, runs, size } = load()
// V8 compiles a function at its first call, so the cache has the functions of earlier runs.
if (runs < RUNS && process.argv[2] === 'run') {
  const timer = setTimeout(keepOnce, KEEP_AFTER).unref()
  process.once('exit', keepIfDone)
  function keepIfDone(code) {
    // A run that failed has compiled little: it had no key, or no task.
    if (code === 0) keepOnce()
  }
  function keepOnce() {
    clearTimeout(timer)
    process.off('exit', keepIfDone)
    keepCompiled()
  }
}
const module = { exports: {} }
script.runInThisContext()(createRequire(program), module, module.exports, program, folder)
growYoungSpace(false)

/** Keeps nothing of the cache but its size: it is as large as the program. */
function load() {
  const { cachedData, runs } = readCompiled()
  const script = new Script(
    `(function (require, module, exports, __filename, __dirname) {${readFileSync(program, 'latin1')}\n})`,
    { filename: program, cachedData },
  )
  const isUsed = cachedData !== undefined && !script.cachedDataRejected
  return { script, runs: isUsed ? runs : 0, size: isUsed ? cachedData.length : 0 }
}

/** The cache: the hash of the program, a digit for the runs that it is from, V8's data. */
function readCompiled() {
  try {
    const bytes = readFileSync(compiled)
    const runs = Number(bytes.toString('latin1', BUILD.length, BUILD.length + 1))
    if (bytes.toString('latin1', 0, BUILD.length) === BUILD && runs > 0)
      return { cachedData: bytes.subarray(BUILD.length + 1), runs }
  } catch {
    // There is none.
  }
  return { cachedData: undefined, runs: 0 }
}

function keepCompiled() {
  const draft = `${compiled}.${process.pid}`
  try {
    growYoungSpace(true)
    const fresh = script.createCachedData()
    growYoungSpace(false)
    const kept = size > fresh.length ? (readCompiled().cachedData ?? fresh) : fresh
    writeFileSync(draft, Buffer.concat([Buffer.from(`${BUILD}${runs + 1}`), kept]))
    renameSync(draft, compiled)
  } catch {
    // Without a writable cache each start compiles the program again.
    rmSync(draft, { force: true })
  }
}

/**
 * After the start, V8's space for young objects stays as large as it is: larger, it takes memory and saves a run no time.
 * V8 takes its compiled code back only under the flags under which it was made.
 */
function growYoungSpace(grows) {
  setFlagsFromString(`--semi-space-growth-factor=${grows ? 2 : 1}`)
}
