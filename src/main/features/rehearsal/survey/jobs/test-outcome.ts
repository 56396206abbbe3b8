/** The outcome of a test run: numbers of passed and failed tests, and the first failure's location. */

interface TestCounts {
  readonly passed: number | null
  readonly failed: number | null
}

interface Format {
  readonly passed: readonly RegExp[]
  readonly failed: readonly RegExp[]
  /** Whether each package reports separately, so that figures are summed. */
  readonly sums?: boolean
}

/** Summary patterns of test runners, most specific first. */
const FORMATS: readonly Format[] = [
  // vitest, jest
  { passed: [/^\s*Tests:?\s.*?(\d+) passed/m], failed: [/^\s*Tests:?\s.*?(\d+) failed/m] },
  // node:test, as TAP and as it looks in a terminal
  { passed: [/^(?:#|ℹ) pass (\d+)/m], failed: [/^(?:#|ℹ) fail (\d+)/m] },
  // cargo
  {
    passed: [/^test result: .*?(\d+) passed/gm],
    failed: [/^test result: .*?(\d+) failed/gm],
    sums: true,
  },
  // mocha
  { passed: [/^\s*(\d+) passing\b/m], failed: [/^\s*(\d+) failing\b/m] },
  // pytest
  { passed: [/\b(\d+) passed\b.* in [\d.]+s/], failed: [/\b(\d+) (?:failed|errors?)\b.* in [\d.]+s/] },
  // dotnet
  { passed: [/\bPassed:\s+(\d+)/], failed: [/\bFailed:\s+(\d+)/] },
  // bun, deno
  {
    passed: [/^\s*(\d+) pass$/m, /\| (\d+) passed\b|^ok \| (\d+) passed/m],
    failed: [/^\s*(\d+) fail$/m, /\| (\d+) failed\b/m],
  },
]

/** Runners that report totals and failures. */
const TOTALS: readonly { readonly total: RegExp; readonly failed: readonly RegExp[] }[] = [
  // maven, gradle, phpunit
  { total: /\bTests(?: run)?: (\d+)/, failed: [/\bFailures: (\d+)/, /\bErrors: (\d+)/] },
  { total: /^OK \((\d+) tests?,/m, failed: [] },
  // rspec, minitest, exunit
  { total: /(\d+) (?:examples?|runs|tests), /, failed: [/(\d+) failures?\b/, /(\d+) errors?\b/] },
  // unittest
  { total: /^Ran (\d+) tests?\b/m, failed: [/\bfailures=(\d+)/, /\berrors=(\d+)/] },
]

/** Null if no known summary is found. */
export function testCounts(output: string): TestCounts | null {
  for (const { passed, failed, sums = false } of FORMATS) {
    const good = figure(output, passed, sums)
    const bad = figure(output, failed, sums)
    if (good !== null || bad !== null) return { passed: good, failed: bad ?? 0 }
  }
  for (const { total, failed } of TOTALS) {
    const all = total.exec(output)
    if (!all) continue
    const bad = failed.reduce((sum, pattern) => sum + Number(pattern.exec(output)?.[1] ?? 0), 0)
    return { passed: Number(all[1]) - bad, failed: bad }
  }
  const [ok, notOk] = [[...output.matchAll(/^ok\b/gm)].length, [...output.matchAll(/^not ok\b/gm)].length]
  if (ok + notOk > 0 && /^(?:TAP version|1\.\.\d+)/m.test(output)) return { passed: ok, failed: notOk }
  const [pass, bad] = [
    [...output.matchAll(/^\s*--- PASS:/gm)].length,
    [...output.matchAll(/^\s*--- FAIL:/gm)].length,
  ]
  return pass + bad > 0 ? { passed: pass > 0 ? pass : null, failed: bad } : null
}

function figure(output: string, patterns: readonly RegExp[], sums: boolean): number | null {
  for (const pattern of patterns) {
    if (sums) {
      const all = [...output.matchAll(pattern)]
      if (all.length > 0) return all.reduce((sum, match) => sum + Number(match[1]), 0)
      continue
    }
    const match = pattern.exec(output)
    if (match) return Number(match[1] ?? match[2])
  }
  return null
}

interface OutputPlace {
  readonly path: string
  readonly line: number
}

/**
 * Locations in the folder that the output names: those near a failure first, then the others.
 *
 * @param folder absolute; paths below it become relative
 */
export function placesIn(output: string, folder: string): readonly OutputPlace[] {
  const lines = output.split('\n')
  const all = lines.map((line) => placesOf(line, folder))
  const firstFailure = lines.findIndex((line) => FAILURE.test(line))
  const after = firstFailure < 0 ? [] : all.slice(firstFailure).flat()
  const found = new Map<string, OutputPlace>()
  for (const location of [...after, ...all.flat()])
    found.set(`${location.path}:${location.line}`, found.get(`${location.path}:${location.line}`) ?? location)
  return [...found.values()]
}

const FAILURE = /\b(FAIL|FAILED|FAILURE|Error|AssertionError|panicked|not ok)\b|✖|✗|×|●/

const PLACE =
  /(?:file:\/\/)?((?:[A-Za-z]:)?[\w.@+~/\\ -]*?[\w@+~-]+\.[A-Za-z]\w{0,7}):(\d{1,6})(?::\d{1,5})?|File "([^"]+)", line (\d{1,6})/g

function placesOf(text: string, folder: string): readonly OutputPlace[] {
  if (text.length > 2000) return []
  return [...text.matchAll(PLACE)].flatMap((match) => {
    const [written, line] = [match[1] ?? match[3] ?? '', Number(match[2] ?? match[4])]
    const path = below(written, folder)
    return path === null || line === 0 ? [] : [{ path, line }]
  })
}

/** The path relative to the folder; null for files elsewhere or in dependencies. */
function below(written: string, folder: string): string | null {
  const start = folder === '' ? -1 : written.indexOf(`${folder}/`)
  const path =
    start >= 0
      ? written.slice(start + folder.length + 1)
      : written.replace(/^.*[\s(]/, '').replace(/^\.\//, '')
  if (path.startsWith('/') || path.startsWith('..') || /^[A-Za-z]:/.test(path)) return null
  return /(^|\/)(node_modules|site-packages|vendor|\.cargo)\//.test(path) ? null : path
}

/** The output's line that describes the first failure. */
export function firstFailureLine(output: string): string | null {
  const lines = output.split('\n').map((line) => line.trim())
  const telling = lines.find((line) =>
    /AssertionError|assert(ion)? .*failed|Error: |panicked at|^E\s{2,}/.test(line),
  )
  return telling ?? lines.find((line) => /^(✖|✗|×|●|not ok|FAIL|FAILED|--- FAIL)/.test(line)) ?? null
}
