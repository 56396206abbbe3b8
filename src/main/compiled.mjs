/**
 * Scripts with V8's compiled code, which halves a program's start. It is kept beside the program, where a user who can write
 * it can also change the program itself; of an installed program, in the user's data folder, in which no agent writes.
 */
// An import would load the code behind every export.
const { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } =
  process.getBuiltinModule('fs')
const { basename, dirname, join } = process.getBuiltinModule('path')
const { cachedDataVersionTag, setFlagsFromString } = process.getBuiltinModule('v8')
const { Script } = process.getBuiltinModule('vm')

/** V8 compiles a function at its first call, so the first runs that did their work add what they compiled. */
const RUNS = 3

/**
 * The compiled code of a program.
 *
 * @param {string} program its path, without an end
 * @param {string} build a hash of its scripts; V8 itself compares lengths only
 * @param {() => string} dataFolder the user's, asked for where nothing can be written beside the program
 */
export function createCompiled(program, build, dataFolder) {
  const folder = isKeptBeside(dirname(program)) ? dirname(program) : join(dataFolder(), 'compiled')
  const file = join(folder, `${basename(program)}.${cachedDataVersionTag()}.compiled`)
  let { runs, codes } = read()
  /** With the size of the code that each began with: the code itself is as large as the program. */
  const loaded = new Map()

  /** The first line says what follows it: the build, the runs that it is from, the bytes of each script. */
  function read() {
    try {
      const bytes = readFileSync(file)
      const end = bytes.indexOf('\n')
      const head = JSON.parse(bytes.toString('latin1', 0, end))
      if (head.build === build) {
        let at = end + 1
        const codes = new Map()
        for (const [name, size] of head.sizes) {
          codes.set(name, bytes.subarray(at, at + size))
          at += size
        }
        if (at === bytes.length) return { runs: head.runs, codes }
      }
    } catch {
      // There is none, or a damaged one.
    }
    return { runs: 0, codes: new Map() }
  }

  let isHeld = false
  /** V8 takes its compiled code back only under the flags under which it was made. */
  function growYoungSpace(grows) {
    if (isHeld) setFlagsFromString(`--semi-space-growth-factor=${grows ? 2 : 1}`)
  }

  /** Keeps the code of this run, with what earlier ones had. */
  const keepOnce = () => {
    codes = new Map()
    if (runs >= RUNS) return
    const before = runs
    runs = RUNS
    const draft = `${file}.${process.pid}`
    try {
      const all = read().codes
      growYoungSpace(true)
      for (const [name, { script, size }] of loaded) {
        const fresh = script.createCachedData()
        if (size <= fresh.length || !all.has(name)) all.set(name, fresh)
      }
      growYoungSpace(false)
      const sizes = [...all].map(([name, code]) => [name, code.length])
      const head = `${JSON.stringify({ build, runs: before + 1, sizes })}\n`
      mkdirSync(folder, { recursive: true })
      writeFileSync(draft, Buffer.concat([Buffer.from(head), ...all.values()]))
      renameSync(draft, file)
    } catch {
      // Where nothing can be written, each start compiles the program again.
      rmSync(draft, { force: true })
    }
  }
  return {
    /** Keeps what the run compiles, after this time in ms or at its end. A run that failed has compiled little. */
    keepAfter(ms) {
      setTimeout(keepOnce, ms).unref()
      process.once('exit', (code) => code === 0 && keepOnce())
    },
    /** V8's space for young objects stays as large as it is: larger, it takes memory and saves a run no time. */
    holdYoungSpace() {
      isHeld = true
      growYoungSpace(false)
    },
    /**
     * Runs a script as Node runs a module.
     *
     * @param {string} path of a script in ASCII
     */
    run(path, require, module, folder) {
      const name = basename(path)
      const cachedData = codes.get(name)
      codes.delete(name)
      const script = new Script(
        `(function (require, module, exports, __filename, __dirname) {${readFileSync(path, 'latin1')}\n})`,
        { filename: path, cachedData },
      )
      const isUsed = cachedData !== undefined && !script.cachedDataRejected
      if (!isUsed) runs = 0
      loaded.set(name, { script, size: isUsed ? cachedData.length : 0 })
      script.runInThisContext()(require, module, module.exports, path, folder)
    },
  }
}

/** Whether compiled code may lie in a program's folder: a package manager removes only the files that it brought. */
function isKeptBeside(folder) {
  if (existsSync(join(dirname(folder), 'app.asar'))) return false
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
